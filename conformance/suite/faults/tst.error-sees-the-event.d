/* @@ kernel: nonempty */
ERROR
{
	printf("%s %d %d\n", execname, pid, arg4);
	@[execname] = count();
}

syscall::read:entry
/1 / arg0/
{
	@ok = count();
}
