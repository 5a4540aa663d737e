/* Clauses of the tracer take, use, commit and discard the numbers that the kernel keeps. */
/* @@ args: -q -x nspec=2 */
/* @@ kernel: nonempty */
BEGIN
{
	first = speculation();
	printf("BEGIN has %d\n", first);
}

BEGIN
{
	speculate(first);
	printf("said in BEGIN\n");
}

syscall::openat:entry
/arg0/
{
	speculate(first);
	printf("open %d\n", arg0);
}

syscall::openat:entry
/!arg0/
{
	second = speculation();
}

syscall::openat:entry
/second/
{
	speculate(second);
	printf("in the second %d\n", arg0);
}

tick-1s
{
	commit(first);
}

tick-1s
{
	first = speculation();
	printf("tick has %d\n", first);
}

END
{
	commit(second);
}

END
{
	printf("END has %d\n", speculation());
}
