/* Both signs, below the low magnitude, above the high one, and weights. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = llquantize(arg0, 10, 1, 2, 10, arg1);
}
