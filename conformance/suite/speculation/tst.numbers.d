/* @@ args: -q -x nspec=2 */
/* Numbers that are none, not in use, or too large: speculate() skips the rest of its clause, commit() and discard() of
 * what cannot be fault. */
syscall::read:entry
{
	speculate(arg0);
	printf("not this");
}
syscall::read:entry
{
	commit(0);
	discard(0);
	commit(2);
	commit(2);
	commit(arg0);
}
syscall::read:entry
{
	printf("%d is no mistake\n", arg0);
	discard(arg0);
}
