/* An ERROR clause sees the time on a CPU of the firing that faulted. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	trace(*(int *)arg1);
}

ERROR
{
	printf("%d %d\n", arg4, vtimestamp);
}
