BEGIN
{
	printf("%s|%s|%s\n", substr("abcdefghijklmnop", 2, -10), substr("abcde", -7, 3), substr("abcde", -2));
	printf("%d %d %d %d\n", index("foobarbar", "bar"), index("foobarbar", "bar", 4), index("foo", "x"), index("foo", "", 2));
	printf("%s %s %s\n", basename("/foo/bar/"), basename("/"), basename(""));
	printf("%s %s %s\n", dirname("/foo/bar/"), dirname("foo"), dirname("/foo"));
	printf("%s|%s|%d\n", strstr("foobar", "ob"), strstr("foobar", ""), strstr("foobar", "x") == NULL);
	printf("%s %d\n", strjoin("ab", "cd"), strlen("hello"));
	exit(0);
}
