syscall::write:entry
{
	printf("%d\n", mutex_type_spin((struct mutex *)arg1));
}
