/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s %s\n", substr(copyinstr(arg1), 3), substr(copyinstr(arg1), 3, 3));
}
