/* Addresses in scratch memory as text. */
BEGIN
{
	this->a = (ipaddr_t *)alloca(16);
	*this->a = htonl(0x7f000001);
	printf("%s %s\n", inet_ntoa(this->a), inet_ntop(2, this->a));
	this->b = (struct in6_addr *)alloca(16);
	this->w = (uint16_t *)this->b;
	this->w[7] = htons(2);
	printf("%s %s %s\n", inet_ntoa6(this->b), inet_ntoa6(this->b, 1), inet_ntop(10, this->b));
	this->w[0] = htons(0x2001);
	printf("%s\n", inet_ntoa6(this->b));
	printf("%s\n", link_ntop(1, this->b));
	exit(0);
}
