/* Committed records are in the buffers of the CPUs that recorded them, whoever commits. */
/* @@ args: -q -x bufpolicy=ring -x nspec=4 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->s = speculation();
}
syscall::read:entry
{
	speculate(self->s);
	printf("e%d ", arg0);
}
syscall::read:return
{
	commit(self->s);
	self->s = 0;
}
syscall::write:entry
{
	printf("w%d ", arg0);
}
