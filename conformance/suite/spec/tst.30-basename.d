/* Runtime spec §19, line 30. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s %s %s", basename("/foo/bar/"), basename("/"), basename(""));
	exit(0);
}
