/* @@ args: -q */
/* Names that do not fit: two in a stack that is printed twice, one in a stack of two rows, two in one that is printed at the end. */
syscall::read:entry
/arg0 == 1/
{
	@a[ustack(3, 4)] = count();
}

syscall::read:entry
/arg0 == 2/
{
	ustack(2, 3);
	ustack(2, 3);
}

syscall::read:entry
/arg0 == 3/
{
	@b[ustack(3, 5)] = count();
}

tick-10ms
/i++ < 2/
{
	printa(@a);
}
