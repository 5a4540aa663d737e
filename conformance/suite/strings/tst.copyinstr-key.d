/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[copyinstr(arg1)] = count();
}
