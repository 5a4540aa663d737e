BEGIN
{
	printf("%p %#p %p\n", 0x1234, 0x1234, (void *)0);
	printf("%Y|%T\n", (int64_t)0, (int64_t)1075064400000000000);
	exit(0);
}
