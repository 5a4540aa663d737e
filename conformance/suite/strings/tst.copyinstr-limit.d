/* The limit counts the NUL. */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[copyinstr(arg1, 5)] = count();
	printf("%s|%s\n", copyinstr(arg1, 1), copyinstr(arg1, 100));
}
