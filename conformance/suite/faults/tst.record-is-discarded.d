/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("before ");
	printf("%d\n", 10 / arg0);
}

syscall::read:entry
{
	printf("next %d\n", arg0);
}
