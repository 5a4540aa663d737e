/* Counts are taken modulo 64. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0 << arg1, arg0 >> arg1, (uint64_t)arg0 >> arg1] = count();
}
