/* Runtime spec §19, line 42. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%d %d %d", strtoll("-12ab"), strtoll("ff", 16), strtoll("777", 8));
	exit(0);
}
