/* @@ args: -q -x strict=no */
syscall::read:entry
{
	@s = distinct(execname);
	@i[arg1] = distinct(arg0);
}
