syscall::write:entry
{
	printf("%d %d %d\n", speculation(), speculation(), speculation());
}
