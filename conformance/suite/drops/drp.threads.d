/* 80 bytes hold the variables of two threads, 16 + 16 + 8 bytes each. A thread has its room from its first value that is
 * not zero to its last. */
/* @@ args: -q -x dynvarsize=80 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@["before"] = count();
	self->t = arg0;
	@["after"] = count();
}

syscall::read:entry
/self->t/
{
	printf("%d: %d\n", tid, self->t);
}

syscall::write:entry
{
	self->t = 0;
}
