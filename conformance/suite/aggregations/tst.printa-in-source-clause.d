/* Each cut sees exactly what came since the one before. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = count();
}

syscall::write:entry
{
	printa("%s %@d\n", @);
	clear(@);
}

END
{
	printa("end: %s %@d\n", @);
}
