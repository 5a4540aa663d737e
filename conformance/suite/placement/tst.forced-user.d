/* Only what must be read at the event is taken in the kernel. */
/* @@ args: -q -x placement=user */
/* @@ kernel: nonempty */
int64_t n;

syscall::read:entry
/arg0 > 1/
{
	n += arg0;
	@[execname] = quantize(arg0);
	self->x = n;
}

syscall::write:entry
/self->x/
{
	printf("%d %s\n", self->x, copyinstr(arg1));
}
