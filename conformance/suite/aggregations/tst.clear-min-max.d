/* @@ kernel: nonempty */
syscall::read:entry
{
	@lo[execname] = min(arg0);
	@hi[execname] = max(arg0);
}

END
{
	clear(@lo);
	clear(@hi);
	printa("%s %@d %@d\n", @lo, @hi);
}
