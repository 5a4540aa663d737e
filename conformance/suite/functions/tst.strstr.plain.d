/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s\n", strstr(copyinstr(arg1), "bar"));
}
