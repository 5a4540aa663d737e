syscall::write:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("%d", arg0);
}
syscall::write:entry
{
	commit(self->s);
}
