/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = avg(arg0);
}
