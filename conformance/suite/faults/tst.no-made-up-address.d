/*
 * Scratch memory and parts of variables have addresses of the tracer's own making, which say nothing to anybody: a fault at
 * one is told without an address, to ERROR as well, and so is one a little before it. An address of the program is told.
 */
struct pair { int a; int b; } x[int];

syscall::read:entry
{
	x[3].b = 5;
	this->p = &x[3].b;
	printf("%d", *this->p);
}

syscall::read:entry
{
	this->a = (char *)alloca(4);
	printf("%d", this->a[8]);
}

syscall::read:entry
{
	this->i = (int *)copyin(arg1, 4);
	printf("%d", *(this->i - 1));
}

syscall::read:entry
{
	printf("%s", stringof((char *)copyin(arg1, 4) + 9));
}

syscall::read:entry
{
	printf("%s", copyinstr((uintptr_t)copyin(arg1, 4)));
}

syscall::read:entry
{
	printf("%d", *(int *)(arg1 + 0x10000));
}

ERROR
{
	printf("%d %d %x\n", arg2, arg4, arg5);
}
