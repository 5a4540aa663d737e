/* Runtime spec §19, line 57. */
BEGIN
{
	@a["x"] = count();
	@b["x"] = sum(4);
	@b["y"] = sum(9);
	printa("%s %@d %@d\n", @a, @b);
	exit(0);
}
