/* No such memory, and no room for the NUL. */
syscall::write:entry
{
	printf("%s", copyinstr(0));
}
syscall::write:entry
{
	printf("%s", copyinstr(arg1, 0));
}
