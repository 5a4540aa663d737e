/* Runtime spec §19, line 14. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%T", (int64_t)1075064400000000000);
	exit(0);
}
