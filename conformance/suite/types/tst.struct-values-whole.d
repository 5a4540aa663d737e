/* Structs that operators and inlines give, recorded whole, as keys and as what is printed. */
struct c { int k; char n[4]; };
struct c v, w;
inline struct c same[struct c x] = x;
inline struct c either[int i, struct c x, struct c y] = i ? x : y;

BEGIN
{
	v.k = 1;
	v.n[0] = 'a';
	w.k = 2;
	w.n[0] = 'b';
	i = 1;
	print(i ? v : w);
	print(same[w]);
	trace(either[0, v, w]);
	q[i ? v : w] = 5;
	q[same[w]] = 6;
	printf("%d %d %d\n", q[v], q[w], q[either[i, w, v]]);
	@[i ? v : w] = count();
	@[same[v]] = count();
	@[either[!i, v, w]] = count();
	printf("%s %s %c %c\n", (i ? v : w).n, stringof(same[w].n), same[w].n[0], *either[i, v, w].n);
	printf("%d %d\n", sizeof (i ? v : w), sizeof (same[v]));
	w = same[v];
	w.k = either[i, same[v], w].k + 41;
	print(w);
	exit(0);
}
