/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = sum(arg0);
}

END
{
	clear(@);
	printa("%s %@d\n", @);
}
