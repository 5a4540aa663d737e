/* @@ args: -q -x strict=no */
BEGIN
{
	@ = percentile(5, 50);
	clear(@);
	printa(@);
	exit(0);
}
