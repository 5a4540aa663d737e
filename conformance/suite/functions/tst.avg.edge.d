/* Toward zero. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@n = avg(arg0);
	@m = avg(arg1);
}
