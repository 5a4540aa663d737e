/* Runtime spec §19, line 92. */
BEGIN
{
	@ = quantize(4);
	printa("%@d", @);
	printf("end");
	exit(0);
}
