/* @@ args: -q -Z -x errtags */
/* The clause fits no type that it waited with: said when the probe appears, and tracing goes on without it. */
app:::start
{
	trace(args[0]->name);
}

syscall::read:entry
{
	@ = count();
}

END
{
	printa("%@d\n", @);
}
