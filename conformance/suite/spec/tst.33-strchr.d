/* Runtime spec §19, line 33. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s %s", strchr("fooeyfoo", 'y'), strrchr("fooeyfoo", 'f'));
	exit(0);
}
