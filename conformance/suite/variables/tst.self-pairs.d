/* Two threads at once; a return without its entry counts for nothing. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->t = timestamp;
}

syscall::read:return
/self->t/
{
	@[tid] = sum(timestamp - self->t);
	self->t = 0;
}
