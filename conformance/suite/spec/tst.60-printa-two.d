/* Runtime spec §19, line 60. */
BEGIN
{
	@a[7] = count();
	@b[7] = sum(3);
	printa(@a, @b);
	exit(0);
}
