/* Without keys there is no title. Blocks unless the terminal is dumb; a negative count is a v. */
/* @@ args: -q -x aggpack */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = quantize(arg0);
	@w = quantize(arg0, arg1);
}
