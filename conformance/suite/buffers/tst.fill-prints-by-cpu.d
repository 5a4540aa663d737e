/* @@ args: -q -x bufpolicy=fill */
/* @@ kernel: nonempty */
BEGIN
{
	printf("begin ");
}
syscall::read:entry
{
	printf("%d ", arg0);
}
END
{
	printf("end\n");
}
