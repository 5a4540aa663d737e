syscall::write:entry
{
	printf("%s|%s|%s|%s|%s|%s\n", dirname(""), dirname("///"), dirname("a//"), dirname("/a"), dirname("a/b//"), dirname("a//b"));
}
