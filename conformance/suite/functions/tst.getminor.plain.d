/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d\n", getminor(arg0));
}
