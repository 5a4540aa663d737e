/* Arms of a condition are paths of their own: what one records does not stand before what the other speculates or commits. */
/* @@ args: -q */
syscall::read:entry
/arg0 == 1/
{
	self->s = speculation();
}

syscall::read:entry
{
	if (arg0 == 1) { speculate(self->s); printf("kept %d\n", arg1); }
	else if (arg0 == 2) { commit(self->s); }
	else { printf("now %d\n", arg1); }
}

syscall::read:entry
/arg0 == 4/
{
	exit(0);
}
