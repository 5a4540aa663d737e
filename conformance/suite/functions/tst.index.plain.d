/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", index(copyinstr(arg1), "bar"), index(copyinstr(arg1), "bar", 4));
}
