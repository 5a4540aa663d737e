/* @@ args: -q -x aggpack */
/* @@ kernel: nonempty */
/* @@ env: TERM=dumb */
syscall::read:entry
{
	@ = quantize(arg0);
}
