/* An exit in ERROR is decided in user space; what only traced clauses use stays in the kernel, so that the path is read there. */
/* @@ kernel: nonempty */
/* @@ args: -q */
syscall::openat:entry
{
	self->path = arg1;
	paths[tid] = arg1;
	@["calls"] = count();
}

syscall::openat:return
/self->path/
{
	printf("%s %s\n", copyinstr(self->path), copyinstr(paths[tid]));
	self->path = 0;
	paths[tid] = 0;
}

ERROR
{
	exit(0);
}

END
{
	printa(@);
}
