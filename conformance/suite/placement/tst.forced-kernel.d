/* @@ args: -q -x placement=kernel */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->t = timestamp;
}

syscall::read:return
/self->t/
{
	@[execname] = quantize(timestamp - self->t);
	self->t = 0;
}
