syscall::write:entry
{
	printf("%d %d %d\n", progenyof(8), progenyof(0), progenyof(-1));
}
