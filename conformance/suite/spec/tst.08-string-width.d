/* Runtime spec §19, line 8. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%-8s|%8s|", "ab", "ab");
	exit(0);
}
