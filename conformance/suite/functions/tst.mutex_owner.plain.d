/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%p %p\n", mutex_owner((struct mutex *)arg1), mutex_owner((struct mutex *)(arg1 + 8)));
}
