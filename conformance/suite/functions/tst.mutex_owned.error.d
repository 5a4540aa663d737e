syscall::write:entry
{
	printf("%d", mutex_owned((struct mutex *)0));
}
