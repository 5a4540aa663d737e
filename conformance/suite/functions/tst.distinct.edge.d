/* Of its own type, and one string. */
/* @@ args: -q -x strict=no */
syscall::write:entry
{
	@i = distinct((char)arg0);
	@s = distinct(execname);
}
