/* @@ kernel: nonempty */
syscall::openat:entry
/strstr(copyinstr(arg1), ".so") != NULL/
{
	@[strstr(copyinstr(arg1), "lib")] = count();
}
