/* @@ kernel: nonempty */
/* A made-up event tells of a process and its parent. */
syscall::read:entry
{
	@[progenyof(100), progenyof(7), progenyof(8), progenyof(0), progenyof(-1)] = count();
}
