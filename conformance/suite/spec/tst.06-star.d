/* Runtime spec §19, line 6. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%*d|%-*d|%*d|", 5, 7, 5, 7, -5, 7);
	exit(0);
}
