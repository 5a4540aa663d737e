/* A second line, a full one, nothing, and limits that are none. */
/* @@ kernel: nonempty */
syscall::write:entry
{
	tracemem(arg1, 17);
	tracemem(arg1 + 1, 17, 16);
	tracemem(arg1, 4, 0);
	tracemem(arg1, 4, -1);
	tracemem(arg1, 4, 5);
}
