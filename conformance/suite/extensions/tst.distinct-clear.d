/* Actions take effect when the firing has ended: all three values count before. */
/* @@ args: -q -x strict=no */
BEGIN
{
	@ = distinct("x");
	@ = distinct("");
	printa("%@d ", @);
	clear(@);
	printa("%@d ", @);
	@ = distinct("y");
	printa("%@d\n", @);
	exit(0);
}
