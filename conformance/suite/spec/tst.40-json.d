/* Runtime spec §19, line 40. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s|%s|%d", json("{\"a\":{\"b\":[10,\"x\"]}}", "a.b[1]"), json("{\"a\":1}", "a"), json("{}", "z") == NULL);
	exit(0);
}
