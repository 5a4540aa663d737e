/* What is printed for a speculation is printed when that is committed, with what is counted by then. */
/* @@ args: -q */
syscall::read:entry
{
	@n = count();
}

syscall::read:entry
/arg0 == 1/
{
	self->s = speculation();
	speculate(self->s);
	printf("before\n");
	printa("%@d\n", @n);
	clear(@n);
}

syscall::read:return
{
	commit(self->s);
}

END
{
	printa("%@d left\n", @n);
}
