/* @@ kernel: nonempty */
syscall::read:entry
{
	@n = count();
	@lo = min(arg0);
	@q[execname] = quantize(arg0);
}
