/* The predicate is decided in user space: the second event's bad path is captured but never looked at. */
/* @@ kernel: nonempty */
syscall::openat:entry
/strstr(execname, copyinstr(arg2)) != NULL/
{
	printf("%s\n", copyinstr(arg1));
}

syscall::openat:entry
{
	@ = count();
}
