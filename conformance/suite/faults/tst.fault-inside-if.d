/* @@ kernel: nonempty */
syscall::read:entry
{
	if (arg0 == 1)
		printf("%d ", 6 / arg1);
	printf("x\n");
}
