/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s\n", dirname(copyinstr(arg1)));
}
