/* The longest bar has 38 of 40 cells: 38 and 38 / 3. */
/* @@ args: -q -x aggzoom */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = quantize(arg0);
}
