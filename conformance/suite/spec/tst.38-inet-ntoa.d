/* Runtime spec §19, line 38. */
/* @@ env: LC_ALL=C */
BEGIN
{
	this->a = (uint32_t *)alloca(4);
	*this->a = htonl(0x7f000001);
	printf("%s", inet_ntoa(this->a));
	exit(0);
}
