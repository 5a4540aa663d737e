/* Runtime spec §19, line 90. */
BEGIN
{
	@ = llquantize(-30, 10, 1, 2, 10);
	@ = llquantize(0, 10, 1, 2, 10);
	@ = llquantize(30, 10, 1, 2, 10);
	exit(0);
}
