/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%p\n", getf(arg0));
}
