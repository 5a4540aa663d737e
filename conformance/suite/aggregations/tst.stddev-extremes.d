/* The squares need 128 bits: (2^63)^2 + (2^63 - 1)^2 over 2 less the mean of -1 / 2 = 0 squared is about (2^63)^2. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = stddev(arg0);
}
syscall::write:entry
{
	@w = stddev(arg0);
	normalize(@w, 10);
}
