/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%d %d %d\n", syscall_name(-1) == NULL, syscall_name(0x7fffffffffffffff) == NULL, syscall_name(0x100000000) == NULL);
	exit(0);
}
