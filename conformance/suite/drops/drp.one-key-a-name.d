/* 80 bytes hold two entries of 16 + 16 + 8. Entry and return of a call have one key. */
/* @@ args: -q -x strsize=8 -x aggsize=80 */
/* @@ kernel: nonempty */
syscall::read:,
syscall::write:,
syscall::close:
{
	@[probefunc] = count();
}
