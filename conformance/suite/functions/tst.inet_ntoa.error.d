syscall::write:entry
{
	printf("%s", inet_ntoa(NULL));
}
syscall::write:entry
{
	this->a = (ipaddr_t *)alloca(6);
	printf("%s", inet_ntoa(this->a + 2));
}
