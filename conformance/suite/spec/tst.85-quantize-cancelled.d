/* Runtime spec §19, line 85. */
BEGIN
{
	@ = quantize(1, 1);
	@ = quantize(1, -1);
	exit(0);
}
