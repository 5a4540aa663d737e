/* Runtime spec §19, line 39. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%d %d", getmajor(0x800001), getminor(0x800001));
	exit(0);
}
