/* @@ status: 7 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("read\n");
	exit(7);
}

END
{
	printf("end\n");
}
