/* @@ kernel: nonempty */
syscall::read:entry
{
	@sum = sum(arg0);
	@min = min(arg0);
	@max = max(arg0);
	@avg[arg1] = avg(arg0);
}
