/* Time on a CPU is the thread's own, and one value for all clauses of a firing. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->v = vtimestamp;
	@["at entry"] = sum(vtimestamp);
}

syscall::read:return
/self->v/
{
	printf("%d: %d of %d\n", tid, vtimestamp - self->v, timestamp);
	@["in read"] = sum(vtimestamp - self->v);
	this->v = vtimestamp;
}

syscall::read:return
/self->v/
{
	printf("%d\n", this->v == vtimestamp);
	self->v = 0;
}
