/* @@ kernel: nonempty */
/* Under conditions that user space decides, and of another clause's bytes. */
syscall::write:entry
/strstr(execname, "work") == "work"/
{
	tracemem(arg1, 5);
}
syscall::write:entry
{
	printf("%d", arg2);
	tracemem(arg1 + 2, 300, 18);
}
