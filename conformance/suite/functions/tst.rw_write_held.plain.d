/* Two readers; a writer. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", rw_write_held((rwlock_t *)arg1), rw_write_held((rwlock_t *)(arg1 + 4)));
}
