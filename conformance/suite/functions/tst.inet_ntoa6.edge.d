/* IPv4 within IPv6; all zeros; 1 is no IPv4; the first of the longest runs of zeros; one zero group is none. */
syscall::write:entry
{
	printf("%s %s %s %s ", inet_ntoa6((struct in6_addr *)(arg1 + 0x10), 1), inet_ntoa6((struct in6_addr *)(arg1 + 0x20)), inet_ntoa6((struct in6_addr *)(arg1 + 0x20), 1), inet_ntoa6((struct in6_addr *)(arg1 + 0x30)));
	printf("%s %s %s\n", inet_ntoa6((struct in6_addr *)(arg1 + 0x40)), inet_ntoa6((struct in6_addr *)(arg1 + 0x50)), inet_ntoa6((struct in6_addr *)(arg1 + 0x60)));
}
