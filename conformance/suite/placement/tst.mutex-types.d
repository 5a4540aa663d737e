/* @@ kernel: nonempty */
syscall::write:entry
{
	@[mutex_type_adaptive((struct mutex *)arg1), mutex_type_spin((struct mutex *)arg1)] = count();
}
