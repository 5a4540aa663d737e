/* A negative value, and two values are enough for any percentage. */
/* @@ args: -q -x strict=no */
syscall::write:entry
{
	@ = percentile(arg0, 1, 999);
}
