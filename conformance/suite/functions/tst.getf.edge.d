/* Below the first and behind the last. */
syscall::write:entry
{
	printf("%d %d %d\n", getf(-1) == NULL, getf(0x20000) == NULL, getf(0) == NULL);
}
