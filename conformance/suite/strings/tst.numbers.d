BEGIN
{
	printf("%s %s %s %s\n", lltostr(-12), lltostr(255, 16), lltostr(8, 8), lltostr(0, 16));
	printf("%s %s %s\n", lltostr(-9223372036854775807 - 1), lltostr(-1, 16), lltostr(35, 36));
	printf("%d %d %d %d\n", strtoll("-12ab"), strtoll("ff", 16), strtoll("777", 8), strtoll("0x"));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(1));
	printf("%x %x %x\n", ntohs(0x3412), ntohl(0x78563412), ntohll(0x0100000000000000));
	printf("%d %d\n", getmajor(0x800001), getminor(0x800001));
	printf("%d\n", rand() == (int)rand() && rand() == rand());
	exit(0);
}
