/* One thread's variables: 16 + 16 + 8 + 8 + 16 bytes. Its room is free when all of them are zero or NULL. */
/* @@ args: -q -x strsize=16 -x dynvarsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->name = probefunc;
	self->t = arg0;
}

syscall::write:entry
{
	printf("%d: %s %d\n", tid, self->name == NULL ? "none" : self->name, self->t);
	self->name = NULL;
}

syscall::close:entry
{
	self->t = 0;
}
