/* The first and the last bucket, and an increment of nothing. What is beyond the last row is clipped. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@ = quantize(arg0, arg1);
}
