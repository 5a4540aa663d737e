/* @@ args: -q -x aggzoom -x aggpack -x agghist -x encoding=ascii */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@q = quantize(arg0);
	@s[arg0] = sum(1);
}
