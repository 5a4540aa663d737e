syscall::write:entry
{
	printf("%s", link_ntop(2, (void *)arg1));
}
syscall::write:entry
{
	printf("%s", link_ntop(1, (void *)16));
}
