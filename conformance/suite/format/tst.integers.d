BEGIN
{
	printf("%d %i %u %x %X %o\n", 97, 97, 97, 171, 171, 97);
	printf("%x %d %d\n", (char)0xef, (char)0xef, (unsigned char)0xef);
	printf("%u %x %x\n", (short)-1, -1, (long long)-1);
	exit(0);
}
