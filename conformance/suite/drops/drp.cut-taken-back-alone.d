/* 32 bytes hold one key of 16 + 8 + 8 bytes. A clause that cuts and then faults prints nothing, but the cut has been. */
/* @@ args: -q -x aggsize=32 */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[arg0] = count();
}

syscall::close:entry
{
	printa(@);
	trace(*(int *)arg0);
}
