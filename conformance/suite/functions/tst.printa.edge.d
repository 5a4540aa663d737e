/* An aggregation twice, and the last one again; nothing at all of one without entries. */
BEGIN
{
	@a[1] = sum(3);
	@e[1] = count();
	printa("%@d %@x %@5d|%d\n", @a, @a);
	trunc(@e);
	exit(0);
}
END { printa("nothing", @e); printa("%@d%%", @a); }
