/* @@ args: -q -x droptags */
/* Two buffers fewer than wanted. */
syscall::read:entry
{
	printf("%d %d\n", speculation(), speculation());
}
syscall::read:entry
{
	printf("%d\n", speculation());
}
