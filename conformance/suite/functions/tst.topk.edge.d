/* Fewer values than asked for, and a negative one. */
/* @@ args: -q -x strict=no */
syscall::write:entry
{
	@ = topk(5, arg0);
}
