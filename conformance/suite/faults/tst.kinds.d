/* Each kind of fault that a program can raise, with what ERROR is told of it. */
/* @@ kernel: nonempty */
this int a[4];
syscall::write:entry
{
	printf("lost");
	trace(*(int *)arg0);
}
syscall::write:entry
{
	printf("lost");
	trace(lltostr(1, 99));
}
syscall::write:entry
{
	printf("lost");
	trace(1 / arg3);
}
syscall::write:entry
{
	printf("lost");
	trace(1 % arg3);
}
syscall::write:entry
{
	printf("lost");
	trace((uint64_t)1 / (uint64_t)arg3);
}
syscall::write:entry
{
	printf("lost");
	this->n = 257;
	this->p = alloca(this->n);
}
syscall::write:entry
{
	printf("lost");
	this->n = 257;
	this->p = copyin(arg1, this->n);
}
syscall::write:entry
{
	printf("lost");
	this->a[arg0] = 1;
}
syscall::write:entry
{
	printf("on\n");
}
ERROR
{
	printf("%d %d %d %d %d\n", arg1 > 0, arg2, arg3 >= 0, arg4, arg5);
}
