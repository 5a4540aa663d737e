/*
 * 96 bytes hold two threads of 16 + 16 + 8 + 8 bytes. self->p is stored to in the kernel and self->n in user space, where
 * text is searched: each side has room for two threads, on every engine.
 */
/* @@ args: -q -x dynvarsize=96 */
/* @@ kernel: nonempty */
self uint64_t p;
self int n;

syscall::openat:entry
{
	self->p = arg0;
}

syscall::openat:return
{
	self->n = index("abcdefghi", execname);
	printf("%s %d %d\n", execname, self->p, self->n);
}
