/* @@ args: -q -x relaxedexit */
/* @@ status: 6 */
/* @@ kernel: nonempty */
syscall::write:entry
/strstr(execname, copyinstr(arg1)) != NULL/
{
	exit(6);
}

syscall::read:entry
{
	@ = count();
}
