/* Two descriptions that match one probe run the body twice. */
/* @@ kernel: nonempty */
syscall::read:entry, syscall::write:entry, syscall::read:entry
{
	@[probefunc, probename] = count();
}
