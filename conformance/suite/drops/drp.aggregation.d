/* 64 bytes hold two entries of 16 + 8 + 8. */
/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0] = count();
}
