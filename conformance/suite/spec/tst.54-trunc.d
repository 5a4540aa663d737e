/* Runtime spec §19, line 54. */
BEGIN
{
	@a[1] = sum(3);
	@a[2] = sum(9);
	@a[3] = sum(6);
	trunc(@a, 2);
	exit(0);
}
