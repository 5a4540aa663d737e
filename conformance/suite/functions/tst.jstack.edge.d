/* Thirteen bytes do not hold the name and its NUL, fourteen do. */
syscall::write:entry
{
	printf("%d", arg0);
	jstack(2, 13);
	jstack(2, 14);
}
