/* Each second prints what came in it and no more. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = count();
	@total = count();
}

tick-1s
{
	printa("%s %@d\n", @);
	trunc(@);
	printf("--\n");
}
