/* @@ kernel: nonempty */
syscall::connect:entry
{
	printf("%s ", inet_ntoa((ipaddr_t *)arg1));
	printf("%s\n", inet_ntoa6((struct in6_addr *)arg1));
}
