/* Values below 128 are exact: the rank of 99.9 % of 100 values is 100. 101 values with -7: the median has rank 51. */
/* @@ args: -q -x strict=no */
syscall::read:entry
{
	@[execname] = percentile(arg0, 50, 99, 999, 100, 1);
	@l = percentile(arg0, 50);
}
