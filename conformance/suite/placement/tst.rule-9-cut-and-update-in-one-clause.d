/* A print shows what every clause of its firing counted, as DTrace's does; so the clear takes it all. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = sum(arg0);
	printa("%@d\n", @);
	@ = sum(1000);
	clear(@);
}
