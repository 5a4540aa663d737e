/* @@ status: 4 */
/* @@ kernel: nonempty */
BEGIN
{
	exit(4);
}

BEGIN
{
	printf("never\n");
}

syscall::read:entry
{
	@ = count();
}

END
{
	printf("end\n");
}
