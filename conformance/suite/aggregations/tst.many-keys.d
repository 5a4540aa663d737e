/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0, arg1, arg2, arg3, arg4, arg5, execname, probefunc, pid] = count();
}
