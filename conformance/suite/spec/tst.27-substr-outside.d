/* Runtime spec §19, line 27. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s|%s|%s|", substr("abcde", -8, 3), substr("abcde", 5), substr("abcde", -9));
	exit(0);
}
