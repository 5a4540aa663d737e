/* A print of an emptied aggregation prints nothing. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = sum(arg0);
	@all = sum(arg0);
}

syscall::write:entry
{
	printa("%@d ", @);
	trunc(@);
}

END
{
	printa("%@d ", @);
	printa("= %@d\n", @all);
}
