/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[index(copyinstr(arg1), "bar"), index(copyinstr(arg1), "bar", 4), index(copyinstr(arg1), "", 2)] = count();
}
