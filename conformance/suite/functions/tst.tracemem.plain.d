/* @@ kernel: nonempty */
syscall::write:entry
{
	tracemem(arg1, 10);
}
