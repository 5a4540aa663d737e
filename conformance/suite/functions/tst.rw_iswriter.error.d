syscall::write:entry
{
	printf("%d", rw_iswriter((rwlock_t *)0));
}
