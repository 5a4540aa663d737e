/* 32 bits with a sign. */
syscall::write:entry
{
	printf("%d %d\n", sizeof (rand()), rand() <= 2147483647 && rand() >= -2147483648LL);
}
