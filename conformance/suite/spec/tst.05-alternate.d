/* Runtime spec §19, line 5. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%#x %#o %#8x|", 255, 8, 0x123);
	exit(0);
}
