/* All 64 bits are tested; the results are ints. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 && arg1, arg0 || arg1, arg0 ^^ arg1, !arg0] = count();
}
