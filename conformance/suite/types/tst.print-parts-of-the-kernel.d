/* All parts of a kernel's struct are shown, whatever of it was known before; unnamed members have no name to show. */
syscall::read:entry
{
	trace(((struct itimerspec64 *)arg1)->it_value.tv_sec);
	printf("\n");
	print((struct itimerspec64 *)arg1);
	print(*(struct itimerspec64 *)arg1);
	printf("\n");
	trace(((struct kernel_siginfo *)arg2)->si_signo);
	printf("\n");
	print((struct kernel_siginfo *)arg2);
}
