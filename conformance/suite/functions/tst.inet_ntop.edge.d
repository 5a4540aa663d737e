/* A computed family; IPv6 is strict. */
syscall::write:entry
{
	this->f = 10;
	printf("%s %s\n", inet_ntop(this->f, (void *)(arg1 + 0x10)), inet_ntop(AF_INET, (void *)(arg1 + 0x30)));
}
