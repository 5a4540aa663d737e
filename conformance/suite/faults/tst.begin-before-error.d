/* Rows of BEGIN come before those that ERROR made meanwhile. */
BEGIN
{
	trace(1);
	trace(*(int *)0);
}

ERROR
{
	printf("E%d\n", arg4);
}

BEGIN
{
	printf("2\n");
	exit(0);
}
