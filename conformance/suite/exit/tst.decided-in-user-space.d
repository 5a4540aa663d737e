/* Nothing after the exit is seen, though a kernel could not have decided it. */
/* @@ status: 9 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = count();
	n++;
}

syscall::write:entry
/strstr(execname, copyinstr(arg1)) != NULL/
{
	exit(9);
}

END
{
	printf("%d\n", n);
}
