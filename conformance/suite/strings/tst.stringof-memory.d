/* @@ kernel: nonempty */
syscall::write:entry
{
	@[stringof(copyin(arg1, 6))] = count();
}
