/*
 * A struct of as many members as a variable keeps is copied behind a pointer that a variable of the firing holds: what is
 * too much for the kernel's stack lies beside it. Its members are used in the kernel, and in another clause.
 */
struct large {
	int first;
	int a[125];
	short s;
	int last;
};

syscall::read:entry
/execname == "x"/
{
	this->p = (struct large *)arg1;
	this->v = *this->p;
	trace(this->v.last);
	@[this->v.a[3], this->v.s] = sum(this->v.a[124]);
	n = this->v.first;
}

syscall::read:entry
/this->v.last == 9 && n == 1/
{
	this->v.a[7] += this->v.a[8];
	printf(" %d %d\n", this->v.a[7], this->v.a[0]);
}
/* @@ kernel: nonempty */
