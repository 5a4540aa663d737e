/* Runtime spec §19, line 56. */
BEGIN
{
	@a[1] = sum(3);
	clear(@a);
	exit(0);
}
