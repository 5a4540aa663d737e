/* A key that one of the aggregations lacks is 0 there, in the order of the rows as in their text. */
BEGIN
{
	@a[1] = min(5);
	@b[1] = count();
	@b[2] = count();
	printa("%d:%@d ", @a, @b);
	printf("| ");
	@c[1] = max(-5);
	printa("%d:%@d ", @c, @b);
	printf("|");
	printa(@c, @b);
	exit(0);
}
