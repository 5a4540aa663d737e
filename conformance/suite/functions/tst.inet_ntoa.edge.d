/* No bits, all bits, an odd address. */
syscall::write:entry
{
	this->a = (ipaddr_t *)alloca(8);
	printf("%s|", inet_ntoa(this->a));
	*this->a = 0xffffffff;
	printf("%s|%s\n", inet_ntoa(this->a), inet_ntoa((ipaddr_t *)((char *)this->a + 2)));
}
