/* Compared with a sign once widened. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@l = max(arg0);
	@u = max((uint64_t)arg1);
	@n = max((unsigned char)arg1);
}
