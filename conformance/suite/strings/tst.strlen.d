/* @@ kernel: nonempty */
syscall::openat:entry
/strlen(copyinstr(arg1)) > 3/
{
	@[strlen(copyinstr(arg1))] = count();
}
