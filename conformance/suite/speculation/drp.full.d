/* @@ args: -q -x specsize=64 */
/* The text of a string counts with strsize: it does not fit, the number does. */
syscall::read:entry
{
	self->s = speculation();
}
syscall::read:entry
{
	speculate(self->s);
	printf("%s", execname);
}
syscall::read:entry
{
	speculate(self->s);
	printf("%d", 1);
}
syscall::read:entry
{
	commit(self->s);
}
