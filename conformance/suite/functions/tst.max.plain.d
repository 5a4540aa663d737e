/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = max(arg0);
}
