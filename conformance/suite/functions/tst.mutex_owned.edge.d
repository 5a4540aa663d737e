/* Nobody's. */
syscall::write:entry
{
	printf("%d\n", mutex_owned((struct mutex *)(arg1 + 16)));
}
