/*
 * 64 bytes hold two keys of 16 + 8 + 8 bytes. A clause that cuts and then faults prints nothing, but the cut has been: there
 * is room in the kernel, and none in user space.
 */
/* @@ args: -q -x aggsize=64 */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@kernel[arg0] = count();
	@user[index("abcdefghi", execname)] = count();
}

syscall::close:entry
{
	clear(@kernel);
	trace(*(int *)arg0);
}
