/* @@ kernel: nonempty */
syscall::read:entry
{
	if (arg0) {
		printf("%d:", arg0);
		if (arg1 > 0)
			printf("+%d", arg1);
		else
			printf("%d", arg1);
		printf("\n");
	}
}
