/* Runtime spec §19, line 68. */
BEGIN
{
	@ = lquantize(1, 10, 0);
}
