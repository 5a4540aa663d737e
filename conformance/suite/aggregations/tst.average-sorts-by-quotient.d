/* -5 / 2 = -2: toward zero. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = avg(arg0);
}
