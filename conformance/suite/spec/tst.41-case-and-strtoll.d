/* Runtime spec §19, line 41. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s%s%d", toupper("aZ1"), tolower("aZ1"), strtoll("0x"));
	exit(0);
}
