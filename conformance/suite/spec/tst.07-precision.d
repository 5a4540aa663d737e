/* Runtime spec §19, line 7. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%.2s|%5.1s|%.0s|%.*s", "hello", "hello", "hello", 3, "hello");
	exit(0);
}
