/* Runtime spec §19, line 36. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s %s %s %s", lltostr(-12), lltostr(255, 16), lltostr(8, 8), lltostr(0, 16));
	exit(0);
}
