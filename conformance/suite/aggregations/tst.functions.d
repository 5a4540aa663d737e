/* Variables in order of first appearance, each sorted by its values. 7 / 2 = 3 and 14 / 3 = 4. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@n[execname] = count();
	@s[execname] = sum(arg0);
	@lo[execname] = min(arg0);
	@hi[execname] = max(arg0);
	@mean[execname] = avg(arg0);
}
