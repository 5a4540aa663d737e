/* A reader and a writer that waits; nobody. */
syscall::write:entry
{
	printf("%d %d\n", rw_write_held((rwlock_t *)(arg1 + 8)), rw_write_held((rwlock_t *)(arg1 + 12)));
}
