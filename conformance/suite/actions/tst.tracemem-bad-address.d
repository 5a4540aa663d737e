/* An address that cannot be read whole ends the clause. */
syscall::write:entry
{
	printf("not this");
	tracemem(arg1, 8);
}
syscall::write:entry
{
	printf("but this\n");
}
