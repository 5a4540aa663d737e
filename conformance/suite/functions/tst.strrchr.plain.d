syscall::write:entry
{
	printf("%s\n", strrchr(copyinstr(arg1), 'b'));
}
