/* 1 is ARPHRD_ETHER. */
syscall::write:entry
{
	printf("%s\n", link_ntop(1, (void *)arg1));
}
