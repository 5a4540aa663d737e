/* The kernel memory of made-up events is the file's, on every engine: what is not in it is not there. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%x %s", *(int *)arg1, stringof((char *)(arg1 + 4)));
}
syscall::read:entry
{
	tracemem(arg1 + 4, 4);
}
