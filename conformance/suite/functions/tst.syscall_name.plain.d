/* Which name a number has depends on the machine. */
/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%d\n", syscall_name(0) != NULL);
	exit(0);
}
