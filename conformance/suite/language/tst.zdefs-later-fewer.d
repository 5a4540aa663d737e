/* @@ args: -q -Z -x errtags */
/* A probe that appears with fewer arguments than the clause uses is refused when it does. */
app:::start
{
	printf("%d\n", args[1]);
}

syscall::read:entry
{
	@ = count();
}

END
{
	printa("%@d\n", @);
}
