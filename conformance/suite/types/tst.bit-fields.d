/* Bit-fields read and write their width, with the sign of their type; neighbours keep theirs. */
/* @@ kernel: nonempty */
struct bits {
	int a : 3;
	unsigned b : 5;
	int c : 24;
	unsigned long d : 40;
	unsigned e : 1;
};
struct bits v;
struct bits *p;

syscall::read:entry
{
	v.a = arg0;
	v.b = arg0;
	v.c = arg0;
	v.d = arg0;
	v.e ^= 1;
	this->q = (struct bits *)copyin(arg1, sizeof (struct bits));
	printf("%d %d %d %d %d %d\n", v.a, v.b, v.c, v.d, v.e, (v.a = 12));
	printf("%d %d %d %d %d\n", this->q->a, this->q->b, this->q->c, this->q->d, this->q->e);
	this->q->b = arg0;
	this->q->c++;
	this->q->d--;
	printf("%d %d %d %d %d\n", this->q->a, this->q->b, this->q->c, this->q->d, this->q->e);
}

BEGIN
{
	printf("%d %d\n", sizeof (struct bits), offsetof(struct { char c; int i : 3; int j; }, j));
}
