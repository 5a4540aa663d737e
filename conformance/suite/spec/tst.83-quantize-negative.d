/* Runtime spec §19, line 83. */
BEGIN
{
	@ = quantize(-5);
	@ = quantize(-1);
	@ = quantize(0);
	@ = quantize(3);
	exit(0);
}
