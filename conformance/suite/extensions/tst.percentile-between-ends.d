/* Percentiles of one value are that value, also where buckets are coarse; merging and clearing keep it so. */
/* @@ args: -q -x strict=no */
syscall::read:entry
{
	@[arg1] = percentile(arg0, 1, 50, 100);
}
syscall::read:return
{
	clear(@);
}
