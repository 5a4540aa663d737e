/* Runtime spec §19, line 69. */
BEGIN
{
	@ = llquantize(1, 10, 0, 3, 7);
}
