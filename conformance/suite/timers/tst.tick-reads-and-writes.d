/* The tracer's clause sees and sets the variable that the kernel part keeps. */
/* @@ kernel: nonempty */
int64_t n;

syscall::read:entry
{
	n++;
}

tick-1s
{
	printf("%d\n", n);
	n = 0;
}
