syscall::write:entry
{
	printf("%s\n", cleanpath(copyinstr(arg1)));
}
