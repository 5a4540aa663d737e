/* A number that the kernel gives may decide a signal (rule 17), in the clause that takes it too. */
/* @@ args: -q -w -x nspec=2 */
/* @@ kernel: nonempty */
syscall::openat:entry
/arg0 == 1/
{
	self->s = speculation();
	speculate(self->s);
	printf("open %d\n", arg1);
}

syscall::openat:return
/self->s && errno/
{
	commit(self->s);
	self->s = 0;
	self->bad = 1;
}

syscall::openat:return
/self->bad/
{
	raise(SIGUSR1);
	printf("raised for %d\n", errno);
	self->bad = 0;
}

syscall::openat:return
/self->s/
{
	discard(self->s);
	self->s = 0;
}

syscall::read:entry
/speculation() == 0/
{
	raise(SIGUSR2);
	printf("none is free\n");
}
