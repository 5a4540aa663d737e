syscall::write:entry
{
	printf("%d\n", mutex_type_adaptive((struct mutex *)arg1));
}
