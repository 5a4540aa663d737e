/* A number that was not given, none, and one that cannot be: the rest of the clause is left out. */
syscall::write:entry
{
	speculate(arg0);
	printf("not this");
}
syscall::write:entry
{
	speculate(0);
	printf("nor this");
}
syscall::write:entry
{
	speculate(-1);
	x = 1;
}
syscall::write:entry
{
	printf("%d", x);
}
