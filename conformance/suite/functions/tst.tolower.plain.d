syscall::write:entry
{
	printf("%s\n", tolower(copyinstr(arg1)));
}
