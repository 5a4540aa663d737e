/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d\n", strlen(copyinstr(arg1)));
}
