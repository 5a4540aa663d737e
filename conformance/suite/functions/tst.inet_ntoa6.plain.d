syscall::write:entry
{
	printf("%s %s\n", inet_ntoa6((struct in6_addr *)arg1), inet_ntoa6((struct in6_addr *)(arg1 + 0x10)));
}
