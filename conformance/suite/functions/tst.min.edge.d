/* Compared with a sign once widened. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@l = min(arg0);
	@u = min((uint64_t)arg1);
	@n = min((unsigned char)arg1);
}
