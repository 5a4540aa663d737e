/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d\n", getmajor(arg0));
}
