/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%d|%d\n", syscall_name(-1) == NULL, syscall_name(100000) == NULL);
	exit(0);
}
