syscall::write:entry
{
	printf("%s\n", inet_ntoa((ipaddr_t *)arg1));
}
