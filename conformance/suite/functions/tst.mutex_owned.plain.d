/* The owner with flags in its lowest bits, and another. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", mutex_owned((struct mutex *)arg1), mutex_owned((struct mutex *)(arg1 + 8)));
}
