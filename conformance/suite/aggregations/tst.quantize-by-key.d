/* Sorted by the sum of bucket times count. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = quantize(arg0);
}
