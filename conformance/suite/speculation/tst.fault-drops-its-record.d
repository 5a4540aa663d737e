/* A fault takes back what its clause recorded, not what others have. */
syscall::read:entry
{
	self->s = speculation();
	speculate(self->s);
	printf("kept\n");
}
syscall::read:entry
{
	speculate(self->s);
	printf("lost %d\n", 1 / arg0);
}
syscall::read:entry
{
	commit(self->s);
}
