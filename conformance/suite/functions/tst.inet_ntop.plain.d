syscall::write:entry
{
	printf("%s %s\n", inet_ntop(2, (void *)arg1), inet_ntop(10, (void *)arg1));
}
