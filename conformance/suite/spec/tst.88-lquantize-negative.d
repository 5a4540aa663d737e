/* Runtime spec §19, line 88. */
BEGIN
{
	@ = lquantize(-7, -10, 10, 5);
	@ = lquantize(-12, -10, 10, 5);
	@ = lquantize(3, -10, 10, 5);
	exit(0);
}
