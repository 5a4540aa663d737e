/* A start before the beginning takes what is left of the length. */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[substr(copyinstr(arg1), 1, 3), substr(copyinstr(arg1), -2), substr(copyinstr(arg1), 2)] = count();
}
