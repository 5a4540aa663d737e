/* Runtime spec §19, line 95. Scratch memory has the same address on every engine. */
struct pt { int x; char c[4]; };
BEGIN
{
	p = (struct pt *)alloca(sizeof (struct pt));
	p->x = 3;
	p->c[0] = 'a';
	print(p);
	exit(0);
}
