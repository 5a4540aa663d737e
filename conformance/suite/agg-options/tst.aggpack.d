/* Seven buckets from -8 to 2: 7/3 + 1/2 and 7/2 + 1/2 are 2 and 4. */
/* @@ args: -q -x aggpack -x encoding=ascii */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname, (char)arg1] = quantize(arg0);
}
