/* Two readers; a writer. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", rw_read_held((rwlock_t *)arg1), rw_read_held((rwlock_t *)(arg1 + 4)));
}
