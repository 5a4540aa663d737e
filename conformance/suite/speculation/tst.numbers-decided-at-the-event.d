/* A number that the event tells is judged there: what follows is done, or not, at the event. */
/* @@ kernel: nonempty */
/* @@ args: -wq -x nspec=3 */
int64_t last;
syscall::write:entry
{
	discard(arg0);
	raise(0);
	@[arg0] = count();
}
syscall::write:entry
{
	commit(arg0 == 4 ? 5 : arg0 & 3);
	last = arg0;
}
END
{
	printf("last %d\n", last);
}
ERROR
{
	printf("%d %d\n", arg4, arg5);
}
