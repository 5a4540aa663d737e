/* Runtime spec §19, line 15. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%-08d|%0-8d|", 5, 5);
	exit(0);
}
