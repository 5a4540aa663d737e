syscall::write:entry
{
	printf("%s %s\n", lltostr(arg2), lltostr(arg1, 16));
}
