syscall::write:entry
{
	printf("%p", mutex_owner((struct mutex *)8));
}
