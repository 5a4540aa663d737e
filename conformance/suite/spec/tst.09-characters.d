/* Runtime spec §19, line 9. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%c%c %C%C", 'a', 66, 'x', 10);
	exit(0);
}
