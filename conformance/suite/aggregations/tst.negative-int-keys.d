/* @@ kernel: nonempty */
syscall::read:entry
{
	@[(int)arg0] = count();
	@s[(short)arg0, (int64_t)arg0] = count();
}
