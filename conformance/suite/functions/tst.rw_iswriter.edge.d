/* A reader and a writer that waits; nobody. */
syscall::write:entry
{
	printf("%d %d\n", rw_iswriter((rwlock_t *)(arg1 + 8)), rw_iswriter((rwlock_t *)(arg1 + 12)));
}
