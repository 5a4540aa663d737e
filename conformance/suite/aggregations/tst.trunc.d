/* @@ kernel: nonempty */
syscall::read:entry
{
	@top[arg0] = sum(arg1);
	@low[arg0] = sum(arg1);
	@none[arg0] = sum(arg1);
}

END
{
	trunc(@top, 2);
	trunc(@low, -1);
	trunc(@none);
}
