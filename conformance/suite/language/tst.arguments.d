/* What an event does not give reads as 0. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("%d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9);
}
