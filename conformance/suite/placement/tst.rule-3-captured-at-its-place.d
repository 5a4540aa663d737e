/* Each printf sees the value of its own moment. */
/* @@ kernel: nonempty */
int64_t x;

syscall::read:entry
{
	x = arg0;
	printf("%d ", x);
	x = arg0 * 10;
	printf("%d\n", x);
}
