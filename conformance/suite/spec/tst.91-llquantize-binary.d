/* Runtime spec §19, line 91. */
BEGIN
{
	@ = llquantize(1, 2, 0, 3, 2);
	@ = llquantize(2, 2, 0, 3, 2);
	@ = llquantize(3, 2, 0, 3, 2);
	@ = llquantize(4, 2, 0, 3, 2);
	@ = llquantize(5, 2, 0, 3, 2);
	@ = llquantize(6, 2, 0, 3, 2);
	@ = llquantize(7, 2, 0, 3, 2);
	@ = llquantize(8, 2, 0, 3, 2);
	@ = llquantize(16, 2, 0, 3, 2);
	exit(0);
}
