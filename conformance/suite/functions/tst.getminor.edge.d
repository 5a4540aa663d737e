syscall::write:entry
{
	printf("%d %d %d\n", getminor(0), getminor(0x100000), getminor(0xffffffff));
}
