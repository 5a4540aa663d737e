/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = sum(arg0);
}

END
{
	printa("%@d %@x %@8d|%@-5d|\n", @);
}
