/* Equal counts, so the keys sort, as unsigned numbers. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 + arg1, arg0 - arg1, arg0 * arg1] = count();
}
