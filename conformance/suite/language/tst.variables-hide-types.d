/* From its first use as a variable on, a name is no type. */
/* @@ args: -q */
BEGIN
{
	printf("%d ", (uint8_t)(300));
	uint8_t = 5;
	q[uint8_t, 1] = 9;
	printf("%d %d %d %d", (uint8_t)-2, (uint8_t)*3, sizeof (uint8_t), q[5, 1]);
	exit(0);
}
