/* @@ args: -q -x strict=no */
syscall::write:entry
{
	@ = topk(1, arg0);
}
