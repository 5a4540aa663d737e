/* What a constant condition chooses stands where the whole stood: the other arm is not checked (language spec 6.2). */
inline int DBG = 1;
enum mode { OFF, ON };
int v;
inline int q = ON ? v : 5;
inline int w = 2 ? 7 : nothing;
int f[3];

BEGIN
{
	printf(1 ? "%d|" : "%s|", 5);
	printf(DBG ? "dbg %d|" : "%d|", 6);
	printf(OFF ? "%s" : 0 ? "%x" : "%o\n", 8);
	printf("%d %d %d\n", sizeof (1 ? "a" : "bcd"), sizeof (0 ? "a" : curthread->pid), w);
	@a = 1 ? count() : sum(1);
	@b = OFF ? count() : max(5);
	@s[1 ? stack(1) : 0] = sum(0 ? ghost : 3);
	(1 ? x : y) = 5;
	(DBG ? self->x : y) = 6;
	(0 ? 1 : f[2])++;
	q = 7;
	printf("%d %d %d %d\n", x, self->x, f[2], v);
	printf("%d %d\n", (1 ? strlen : 0)("abc"), 1 ? x : (z = 5));
	0 ? trace(1) : printf("%s\n", sizeof (x) == 4 ? "four" : "else");
	printa(1 ? @a : 0);
	printa("%@d\n", 0 ? 1 : @b);
	clear(1 ? @s : 0);
	trunc(@s);
}

BEGIN
/DBG ? v == 7 : ghost/
{
	trace("yes");
	exit(1 ? 0 : "no");
}
