syscall::write:entry
{
	printf("%s|%s|%s|%s|%s|%s|%s|%s\n", cleanpath(""), cleanpath("."), cleanpath("./"), cleanpath("/./."), cleanpath("/.."), cleanpath("../a/.."), cleanpath("a/../.."), cleanpath("z/a/b/../../././c///d/e"));
}
