/* @@ status: 2 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	exit(1);
	printf("last\n");
	exit(2);
}

syscall::read:entry
{
	printf("never\n");
}
