/* exit in ERROR is decided in user space, so the counts are kept there too. */
/* @@ status: 2 */
/* @@ kernel: nonempty */
ERROR
{
	exit(2);
}

syscall::read:entry
{
	@before = count();
	@value = sum(10 / arg0);
}
