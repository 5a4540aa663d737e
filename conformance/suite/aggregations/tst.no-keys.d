/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = count();
	@total = sum(arg0);
	@low = min(arg0);
	@high = max(arg0);
	@average = avg(arg0);
}
