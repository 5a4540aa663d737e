/* Arrays and structs of a clause: zero at the start of a firing, kept from clause to clause. */
/* @@ kernel: nonempty */
this int a[4];
this struct {
	int n;
	string s[2];
} r;

syscall::read:entry
{
	this->a[arg0 & 3] = arg1;
	this->a[1]++;
	this->r.s[arg0 & 1] = execname;
	this->r.n = arg0;
}

syscall::read:entry
{
	printf("%d %d %d %d", this->a[0], this->a[1], this->a[2], this->a[arg0 & 3]);
	printf(" %d <%s> <%s>\n", this->r.n, this->r.s[0], this->r.s[1]);
}
