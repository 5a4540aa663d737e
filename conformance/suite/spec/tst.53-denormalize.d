/* Runtime spec §19, line 53. */
BEGIN
{
	@a[1] = sum(10);
	normalize(@a, 5);
	normalize(@a, 2);
	printa("%d=%@d ", @a);
	denormalize(@a);
	printa("%d=%@d", @a);
	exit(0);
}
