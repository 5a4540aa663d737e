syscall::write:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("kept %d\n", self->s);
}
syscall::write:entry
{
	commit(self->s);
}
