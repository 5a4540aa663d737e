/* 600 bytes hold two entries of 16 + 264 + 8, and a key is one entry however it is made. */
/* @@ args: -q -x aggsize=600 */
/* @@ kernel: nonempty */
syscall::read:,
syscall::write:,
syscall::close:
{
	@[probefunc] = count();
}

syscall::read:entry
{
	@["read"] = count();
}
