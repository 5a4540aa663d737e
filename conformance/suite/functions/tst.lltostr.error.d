syscall::write:entry
{
	printf("%s", lltostr(1, 1));
}
syscall::write:entry
{
	printf("%s", lltostr(1, 37));
}
syscall::write:entry
{
	printf("%s", lltostr(1, -16));
}
