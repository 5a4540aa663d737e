/* 32 is ARPHRD_INFINIBAND. */
syscall::write:entry
{
	printf("%s\n", link_ntop(32, (void *)arg1));
}
