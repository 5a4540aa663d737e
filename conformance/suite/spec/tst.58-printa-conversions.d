/* Runtime spec §19, line 58. */
BEGIN
{
	@a = sum(90);
	printa("%@d %@x %@8d|%@-5d|", @a);
	exit(0);
}
