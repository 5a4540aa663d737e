/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 + 1, arg0 * 2, -arg0] = count();
}
