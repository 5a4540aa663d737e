/* Squares of 128 bits; the same value always deviates by nothing. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@b = stddev(arg0);
	@o = stddev(arg1);
}
