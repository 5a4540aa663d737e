/* @@ args: --format json */
BEGIN
{
	@a[1] = sum(10);
	@a[2] = sum(4);
	normalize(@a, 2);
	printa("%d\n", @a);
	clear(@a);
	printa(@a);
	exit(0);
}
