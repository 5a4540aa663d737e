/* Of equal values the larger keys are kept by a positive count, the smaller by a negative. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@top[arg0] = count();
	@low[arg0] = count();
}

END
{
	trunc(@top, 2);
	trunc(@low, -2);
}
