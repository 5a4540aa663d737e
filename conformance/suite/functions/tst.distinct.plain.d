/* @@ args: -q -x strict=no */
syscall::write:entry
{
	@ = distinct(arg0);
}
