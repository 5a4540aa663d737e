/* A variable that keeps a stack no more is false to every operator that asks. */
/* @@ args: -q */
BEGIN
{
	x = stack();
	x = 0;
	printf("%d %d %d %d\n", !x, x ? 1 : 2, x ^^ 1, x && 1);
	exit(0);
}
