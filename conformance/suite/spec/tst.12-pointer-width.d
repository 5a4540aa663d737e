/* Runtime spec §19, line 12. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%?d|%-?x|", 7, 255);
	exit(0);
}
