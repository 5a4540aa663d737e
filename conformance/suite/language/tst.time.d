/* One time for all clauses of a firing. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%d %d\n", timestamp, walltimestamp);
	this->t = timestamp;
}
syscall::read:entry
{
	printf("%d\n", timestamp - this->t);
}
