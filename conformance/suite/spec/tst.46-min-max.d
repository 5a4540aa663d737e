/* Runtime spec §19, line 46. */
BEGIN
{
	@ = min(3);
	@ = min(-4);
	@a = max(3);
	@a = max(-4);
	exit(0);
}
