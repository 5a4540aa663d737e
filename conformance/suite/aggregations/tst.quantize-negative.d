/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = quantize(arg0);
}
