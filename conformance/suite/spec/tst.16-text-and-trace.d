/* Runtime spec §19, line 16. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("a");
	printf("b\n");
	trace(1);
	trace("c");
	exit(0);
}
