/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = stddev(arg0);
}
