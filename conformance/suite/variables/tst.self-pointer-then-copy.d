/* @@ kernel: nonempty */
syscall::openat:entry
/basename(copyinstr(arg1)) == "passwd"/
{
	self->p = arg1;
}

syscall::openat:return
/self->p/
{
	printf("%s %d\n", copyinstr(self->p), arg1);
	self->p = 0;
}
