/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%s\n", basename(copyinstr(arg1)));
}
