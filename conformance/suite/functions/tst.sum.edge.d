/* A sum wraps; a value is widened from its own type. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	@w = sum(arg0);
	@n = sum((char)arg1);
	@u = sum((uint32_t)arg1);
}
