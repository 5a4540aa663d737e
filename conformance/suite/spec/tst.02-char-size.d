/* Runtime spec §19, line 2. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%x %d %d", (char)0xef, (char)0xef, (unsigned char)0xef);
	exit(0);
}
