/* By value; then key by key, numbers as unsigned. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0, execname] = count();
}
