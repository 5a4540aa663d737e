/* 40 / 32 = 1 1/4 cells, and 38 3/4. Only positive bars are fine. */
/* @@ args: -q -x encoding=utf8 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = quantize(arg0, arg1);
	@n = quantize(arg0, -1);
}
