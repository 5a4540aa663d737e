syscall::write:entry
{
	printf("%d", rw_read_held((rwlock_t *)0));
}
