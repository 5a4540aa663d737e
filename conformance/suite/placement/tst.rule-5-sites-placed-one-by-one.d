/* One site is in the kernel, the other in user space; the table is one. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = count();
}

syscall::write:entry
/strstr(execname, copyinstr(arg1)) != NULL/
{
	@[strstr(execname, copyinstr(arg1))] = count();
}
