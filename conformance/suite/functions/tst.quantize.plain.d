/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = quantize(arg0);
}
