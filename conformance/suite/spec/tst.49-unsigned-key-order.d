/* Runtime spec §19, line 49. */
BEGIN
{
	@[3] = sum(1);
	@[-1] = sum(1);
	@[2] = sum(1);
	exit(0);
}
