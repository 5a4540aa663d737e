/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = count();
}
