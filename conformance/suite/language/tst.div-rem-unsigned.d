/* 2^64 - 1 = 18446744073709551615. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[(uint64_t)arg0 / 2, (uint64_t)arg0 % 10] = count();
}
