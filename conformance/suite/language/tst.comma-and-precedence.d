/* == binds tighter than &; && than ^^, ^^ than ||. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[(arg0, arg1), 2 + arg0 * 3, arg0 - arg1 - 1, arg0 & 1 == 1, 1 || 0 ^^ 1] = count();
}
