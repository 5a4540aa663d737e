/* A new thread with a used thread ID starts with nothing. */
/* @@ kernel: nonempty */
self int64_t n;

syscall::read:entry
{
	@[tid, self->n] = count();
	self->n = self->n + 1;
}
