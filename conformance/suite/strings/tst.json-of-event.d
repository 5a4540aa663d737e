syscall::write:entry
{
	printf("%s\n", json(copyinstr(arg1), "name"));
}
