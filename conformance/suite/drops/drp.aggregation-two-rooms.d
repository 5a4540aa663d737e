/*
 * 64 bytes hold two keys of 16 + 8 + 8 bytes. An aggregation that is updated in the kernel at one place and in user space
 * at another, where text is searched, has room for two on each side, on every engine. A key may be on both.
 */
/* @@ args: -q -x aggsize=64 -x statusrate=0 */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[arg0] = count();
	@[index("abcdefghi", execname)] = count();
}

syscall::close:entry
{
	printf("cut\n");
	printa("%d %@d\n", @);
}
