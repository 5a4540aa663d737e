/* @@ kernel: nonempty */
syscall::write:entry
{
	@sum = sum(*(int *)arg1);
	@after = count();
}
