/* @@ kernel: nonempty */
syscall::write:entry
{
	printf("%d %d\n", progenyof(100), progenyof(7));
}
