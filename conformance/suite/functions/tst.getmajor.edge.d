syscall::write:entry
{
	printf("%d %d %d\n", getmajor(0), getmajor(0xfffff), getmajor(0xffffffff));
}
