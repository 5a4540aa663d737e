/* The number of a speculation is user space's, the address is kept in the kernel: the idiom of saving it at the entry. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	self->spec = speculation();
	self->path = arg1;
	self->r = rand();
	self->flags = arg2;
}

syscall::openat:return
/self->path/
{
	speculate(self->spec);
	printf("%s %x %d\n", copyinstr(self->path), self->flags, errno);
}

syscall::openat:return
/self->path && errno/
{
	commit(self->spec);
}

syscall::openat:return
/self->path && !errno/
{
	discard(self->spec);
}

syscall::openat:return
{
	self->spec = 0;
	self->path = 0;
	self->flags = 0;
	self->r = 0;
}
