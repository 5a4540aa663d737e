/* Runtime spec §19, line 50. */
/* @@ args: -q -x aggsortrev */
BEGIN
{
	@[1] = sum(1);
	@[2] = sum(5);
	@[3] = sum(3);
	exit(0);
}
