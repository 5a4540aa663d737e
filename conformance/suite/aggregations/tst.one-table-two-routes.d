/* A key built from the probe and one given as a constant are one entry. */
/* @@ kernel: nonempty */
syscall::read:entry, syscall::write:entry
{
	@[probefunc] = count();
}

syscall::close:return
{
	@["read"] = count();
}
