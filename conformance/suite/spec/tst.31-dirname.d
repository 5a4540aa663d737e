/* Runtime spec §19, line 31. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s %s %s", dirname("/foo/bar/"), dirname("foo"), dirname("/foo"));
	exit(0);
}
