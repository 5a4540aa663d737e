/* None, and once more, are ignored. */
syscall::write:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("%d", arg0);
}
syscall::write:entry
{
	commit(0);
	commit(self->s);
	commit(self->s);
}
