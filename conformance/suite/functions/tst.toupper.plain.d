syscall::write:entry
{
	printf("%s\n", toupper(copyinstr(arg1)));
}
