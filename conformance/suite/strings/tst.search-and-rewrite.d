BEGIN
{
	printf("%d %d %d %d\n", rindex("foobarbar", "bar"), rindex("foobarbar", "bar", 5), rindex("foobarbar", "bar", -1), rindex("foo", ""));
	printf("%s %s %d %d\n", strchr("fooeyfoo", 'y'), strrchr("fooeyfoo", 'f'), strchr("foo", 'x') == NULL, strrchr("foo", 0) == NULL);
	printf("%s %s %s %s [%s]\n", cleanpath("/a/./b//../c/"), cleanpath("a/../.."), cleanpath("./"), cleanpath("/.."), cleanpath(""));
	printf("%s %s\n", toupper("aZ1-"), tolower("aZ1-"));
	printf("%s,", strtok(",,ab,cd", ","));
	printf("%s,", strtok(NULL, ","));
	printf("%d\n", strtok(NULL, ",") == NULL);
	printf("%s\n", strtok("a,b", ""));
}

BEGIN
{
	printf("%s", strtok("one two", " "));
}

BEGIN
{
	printf(" %s\n", strtok(NULL, " "));
	exit(0);
}
