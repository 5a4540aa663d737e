syscall::write:entry
{
	printf("%s\n", strchr(copyinstr(arg1), 'b'));
}
