/* Twenty-four cuts in a row, more than generations are kept: each is swept before the next, and none falls together with
 * another. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@new[arg0] = count();
	@all = count();
}

syscall::write:entry
{
	printa("%d %@d ", @new);
	printa("%@d\n", @all);
	trunc(@new);
}
