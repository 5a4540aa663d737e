/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 & arg1, arg0 | arg1, arg0 ^ arg1, ~arg0] = count();
}
