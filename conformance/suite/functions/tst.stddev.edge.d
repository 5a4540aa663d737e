/* Squares of 128 bits, unsigned. Ten of 2^126 are 2^127 after they have wrapped, and the sum is 0: the root of 2^127 / 10. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@b = stddev(arg0);
	@o = stddev(arg1);
}
