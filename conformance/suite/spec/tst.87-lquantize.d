/* Runtime spec §19, line 87. */
BEGIN
{
	@ = lquantize(-3, 0, 10, 5);
	@ = lquantize(0, 0, 10, 5);
	@ = lquantize(5, 0, 10, 5);
	@ = lquantize(9, 0, 10, 5);
	@ = lquantize(10, 0, 10, 5);
	@ = lquantize(99, 0, 10, 5);
	exit(0);
}
