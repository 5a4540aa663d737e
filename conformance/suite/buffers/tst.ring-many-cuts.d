/*
 * What is held for the end is cut when it happens: cuts do not wait for each other, and there is room for a key after
 * each. What trunc drops it drops at the end.
 */
/* @@ args: -q -x bufpolicy=ring -x aggsize=32 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0] = count();
	@all[1] = count();
}

syscall::write:entry
/arg0/
{
	printf("%d\n", arg0);
	trunc(@, 1);
}
