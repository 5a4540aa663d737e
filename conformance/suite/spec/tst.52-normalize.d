/* Runtime spec §19, line 52. */
BEGIN
{
	@a[1] = sum(10);
	@a[2] = sum(20);
	normalize(@a, 10);
	printa(@a);
	exit(0);
}
