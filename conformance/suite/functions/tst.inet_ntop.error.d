syscall::write:entry
{
	printf("%s", inet_ntop(3, (void *)arg1));
}
syscall::write:entry
{
	printf("%s", inet_ntop(2, (void *)16));
}
