/* @@ kernel: nonempty */
ERROR
{
	printf("fault %d in clause %d: %d\n", arg4, arg2 >= 0, arg5);
}

syscall::openat:entry
{
	printf("%s\n", copyinstr(arg1));
}

syscall::openat:entry
{
	printf("still here\n");
}
