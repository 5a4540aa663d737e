syscall::write:entry
{
	printf("%s %d %#x %c\n", execname, arg2, arg1, 'z');
}
