/* Runtime spec §2: an array is dumped, a string printed. */
struct s { char c[4]; };
BEGIN
{
	p = (struct s *)alloca(sizeof (struct s));
	p->c[0] = 'h';
	p->c[1] = 'i';
	trace(stringof(p->c));
	trace("|");
	trace(p->c);
	exit(0);
}
