/* Runtime spec §19, line 59. */
BEGIN
{
	@a[1,2] = count();
	printa("%@u: %d\n", @a);
	printa("%@u: %d %d\n", @a);
	exit(0);
}
