/* The status is in the record, which goes with the fault; tracing ends all the same. */
/* @@ status: 0 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("never\n");
	exit(3);
	this->x = *(int *)0;
}
syscall::read:entry
{
	printf("nor this\n");
}
END
{
	printf("end\n");
}
