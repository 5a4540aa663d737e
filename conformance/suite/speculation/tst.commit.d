/* What several probes record for a speculation appears, in order, when it is committed; what is discarded never does. */
syscall::openat:entry
{
	self->spec = speculation();
	speculate(self->spec);
	printf("open %x\n", arg1);
}
syscall::read:entry
/self->spec/
{
	speculate(self->spec);
	printf("  read %d\n", arg0);
}
syscall::openat:return
/self->spec && arg1 >= 0/
{
	commit(self->spec);
	self->spec = 0;
}
syscall::openat:return
/self->spec/
{
	discard(self->spec);
	self->spec = 0;
}
