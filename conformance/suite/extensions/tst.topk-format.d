/* @@ args: -q -x strict=no */
BEGIN
{
	@ = topk(1, "x");
	printa("<%@d>\n", @);
	normalize(@, 0x7fffffff);
	printa(@);
	exit(0);
}
