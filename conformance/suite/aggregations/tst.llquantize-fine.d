/* More steps than the factor, from magnitude 0 on: what no integer reaches has no row. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = llquantize(arg0, 10, 0, 2, 20);
}
