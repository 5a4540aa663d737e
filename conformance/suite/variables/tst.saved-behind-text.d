/* What can fault on nothing but a NULL string does not, and keeps nothing behind it from the kernel. */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	printf("%s %s %s %d\n", lltostr(arg0), lltostr(arg0, 16), toupper(execname), strtoll("12", 8));
	self->p = arg1;
	@[basename(cleanpath(strjoin("/a/../", tolower(probefunc)))), strchr(execname, 'o')] = count();
}

syscall::openat:return
/self->p/
{
	printf("%s\n", copyinstr(self->p));
	self->p = 0;
}
