/* Runtime spec §19, line 3. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%u %x %x", (short)-1, -1, (long long)-1);
	exit(0);
}
