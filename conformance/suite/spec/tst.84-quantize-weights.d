/* Runtime spec §19, line 84. */
BEGIN
{
	@ = quantize(1, 2);
	@ = quantize(4, -2);
	exit(0);
}
