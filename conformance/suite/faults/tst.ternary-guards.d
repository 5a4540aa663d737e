/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[arg1 ? copyinstr(arg1) : "none"] = count();
}
