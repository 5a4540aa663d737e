syscall::write:entry
{
	printf("%d\n", mutex_owner((struct mutex *)(arg1 + 16)) == NULL);
}
