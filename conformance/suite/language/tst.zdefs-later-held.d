/* @@ args: -q -Z -x bufpolicy=fill */
/* Records that wait for the end speak of the plan at hand: what appears is not enabled, and that is said. */
app:::start
{
	printf("start %d\n", args[0]);
}

syscall::read:entry
{
	printf("read\n");
}
