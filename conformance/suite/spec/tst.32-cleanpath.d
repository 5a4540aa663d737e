/* Runtime spec §19, line 32. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s %s %s %s", cleanpath("/a/./b//../c/"), cleanpath("a/../.."), cleanpath("./"), cleanpath("/.."));
	exit(0);
}
