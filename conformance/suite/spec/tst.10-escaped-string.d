/* Runtime spec §19, line 10. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%S", "a\tb\"c");
	exit(0);
}
