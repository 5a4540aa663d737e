/* Arrays and parts of structs in variables are copied to scratch memory and shown as addresses. */
struct host { int x; ipaddr_t a; };
struct host v;
int a[2];
char c[4];

BEGIN
{
	a[0] = 3;
	a[1] = 4;
	c[0] = 'h';
	c[1] = 'i';
	v.a = 0x0100007f;
	this->p = (int *)alloca(8);
	this->q = (char *)alloca(4);
	bcopy(a, this->p, 8);
	bcopy(c, this->q, 4);
	printf("%d %d %s\n", this->p[0], this->p[1], stringof(this->q));
	printf("%s %s\n", inet_ntoa(&v.a), inet_ntop(2, &v.a));
	exit(0);
}
