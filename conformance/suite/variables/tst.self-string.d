/* @@ kernel: nonempty */
self string path;

syscall::openat:entry
{
	self->path = copyinstr(arg1);
}

syscall::openat:return
/self->path != NULL/
{
	printf("%s = %d\n", self->path, arg0);
	self->path = 0;
}
