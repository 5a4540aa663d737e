/* @@ kernel: nonempty */
syscall::read:entry
/strlen(execname) == 15 && strstr(execname, "name") != NULL/
{
	@[execname, substr(execname, 0, 4), execname[3]] = count();
}
