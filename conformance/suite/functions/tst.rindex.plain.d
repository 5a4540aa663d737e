/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", rindex(copyinstr(arg1), "bar"), rindex(copyinstr(arg1), "bar", 5));
}
