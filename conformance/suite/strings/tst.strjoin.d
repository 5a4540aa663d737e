/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[strjoin(execname, strjoin(":", copyinstr(arg1)))] = count();
}
