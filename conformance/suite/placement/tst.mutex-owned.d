/* @@ kernel: nonempty */
/* Held by this thread, flags in the lowest bits; by another; by none. */
syscall::write:entry
{
	printf("%d %x\n", mutex_owned((struct mutex *)arg1), (uint64_t)mutex_owner((struct mutex *)arg1));
}
