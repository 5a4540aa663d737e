/* @@ args: --format json -x strict=no */
syscall::read:entry
{
	@p = percentile(arg0, 50, 999);
	@d = distinct(arg0);
	@t = topk(2, execname);
}
