/* @@ kernel: nonempty */
syscall::write:entry
{
	@[*(char *)copyin(arg1, arg2)] = count();
}
