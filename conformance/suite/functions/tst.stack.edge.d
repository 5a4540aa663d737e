/* One frame, more than there can be, and a thread without a stack. */
/* @@ args: -q -x stackindent=2 */
syscall::write:entry
{
	printf("%d", arg0);
	stack(1);
	stack(100000);
}
