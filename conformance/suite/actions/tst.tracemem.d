/* Bytes at an address: of the process, with a limit that is no limit, with none, with one. */
syscall::write:entry
{
	tracemem(arg1, 20);
	tracemem(arg1, 20, -1);
	tracemem(arg1, 20, 40);
	tracemem(arg1, 20, arg2);
	tracemem(arg1, 20, 0);
	printf("%d\n", arg2);
}
