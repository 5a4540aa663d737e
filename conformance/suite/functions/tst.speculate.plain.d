syscall::write:entry
/arg0 == 1/
{
	self->s = speculation();
}
syscall::write:entry
{
	speculate(self->s);
	printf("%d", arg0);
}
syscall::write:entry /arg0 == 2/ { commit(self->s); }
