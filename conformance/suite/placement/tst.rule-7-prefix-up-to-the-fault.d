/* @@ kernel: nonempty */
syscall::read:entry
{
	printf("a%d ", arg0);
}

syscall::read:entry
{
	printf("b%d ", 10 / arg0);
	@done = count();
}

syscall::read:entry
{
	printf("c\n");
}
