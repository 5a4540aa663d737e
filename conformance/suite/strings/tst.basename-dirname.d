/* @@ kernel: nonempty */
syscall::openat:entry
{
	@b[basename(copyinstr(arg1))] = count();
	@d[dirname(copyinstr(arg1))] = count();
}
