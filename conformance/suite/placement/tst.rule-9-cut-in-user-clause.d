/* The cut is decided in user space, so what it names lives there. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = count();
}

syscall::write:entry
/strstr(execname, copyinstr(arg1)) != NULL/
{
	printa("%s %@d\n", @);
	clear(@);
}
