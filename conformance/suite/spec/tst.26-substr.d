/* Runtime spec §19, line 26. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s|%s|%s", substr("abcdefghijklmnop", 2, -10), substr("abcde", -7, 3), substr("abcde", -2));
	exit(0);
}
