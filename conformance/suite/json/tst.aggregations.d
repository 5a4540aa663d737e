/* 16 / 3 = 5; the squares 9 + 49 + 144 = 202, 202 / 3 = 67, 67 - 25 = 42. */
/* @@ args: --format json */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname, (char)arg1, arg1] = sum(arg0);
	@lo = min(arg0);
	@mean = avg(arg0);
	@dev = stddev(arg0);
	@q[execname] = quantize(arg0);
	@l = lquantize(arg0, 0, 10, 5);
	@ll = llquantize(arg0, 10, 0, 1, 10, -2);
}
