/* Runtime spec §19, line 34. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s|%s|%d", strstr("foobar", "ob"), strstr("foobar", ""), strstr("foobar", "x") == NULL);
	exit(0);
}
