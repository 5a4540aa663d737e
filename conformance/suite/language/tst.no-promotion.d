/* char + char is a char; the sum is narrowed when it is recorded. */
BEGIN
{
	x = (char)127;
	y = (char)1;
	printf("%d %d\n", x + y, sizeof (x + y));
	exit(0);
}
