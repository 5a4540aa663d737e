syscall::write:entry
{
	printf("%s|%s|%s|%s|%s\n", basename(""), basename("///"), basename("a//"), basename("/a"), basename("."));
}
