/*
 * 64 bytes hold two keys of 16 + 8 + 8 bytes. What cuts an aggregation of the kernel makes room in all of them, and in
 * those of user space.
 */
/* @@ args: -q -x aggsize=64 -x statusrate=0 */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@one[arg0] = count();
	@two[arg0] = count();
	@user[index("abcdefghi", execname)] = count();
}

syscall::close:entry
{
	clear(@one);
}
