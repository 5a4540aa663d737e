/* An ERROR clause that asks whose progeny the process is: of itself, of its parent, of nobody else. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	x = *(int *)0;
}
ERROR
{
	printf("%d %d %d\n", progenyof(7), progenyof(3), progenyof(8));
}
