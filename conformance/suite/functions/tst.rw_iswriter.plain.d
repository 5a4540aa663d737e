/* Two readers; a writer. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", rw_iswriter((rwlock_t *)arg1), rw_iswriter((rwlock_t *)(arg1 + 4)));
}
