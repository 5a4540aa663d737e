syscall::write:entry
{
	printf("%d", rw_write_held((rwlock_t *)0));
}
