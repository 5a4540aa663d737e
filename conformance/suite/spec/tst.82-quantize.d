/* Runtime spec §19, line 82. */
BEGIN
{
	@ = quantize(0);
	@ = quantize(1);
	@ = quantize(1);
	@ = quantize(2);
	@ = quantize(3);
	@ = quantize(4);
	@ = quantize(100);
	exit(0);
}
