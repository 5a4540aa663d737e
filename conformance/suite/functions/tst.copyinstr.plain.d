/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s\n", copyinstr(arg1));
}
