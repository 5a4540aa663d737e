/*
 * 96 bytes hold two elements of an array. That of a thread lives in user space: a store that finds no room there does
 * not end its clause, which goes on to a store in the kernel.
 */
/* @@ args: -q -x dynvarsize=96 */
/* @@ kernel: nonempty */
self int depth;

syscall::openat:entry
{
	self->at[self->depth] = timestamp;
	self->path = arg1;
	self->depth++;
	@["entered"] = count();
}

syscall::openat:return
/self->depth/
{
	self->depth--;
	printf("%s %d\n", copyinstr(self->path), timestamp - self->at[self->depth]);
	self->at[self->depth] = 0;
}
