/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = min(arg0);
}
