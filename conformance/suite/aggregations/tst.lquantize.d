/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = lquantize(arg0, 0, 10, 5);
	@b[execname] = lquantize(arg0, -10, 10, 5, 3);
}
