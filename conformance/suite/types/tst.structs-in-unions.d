/* Structs and arrays in unions are taken and assigned whole; what overlaps is read as it was. */
/* @@ args: -q */
struct pair {
	int a;
	short b;
	char c;
	int low : 4;
	int high : 4;
};
union inner {
	int i;
	char c[4];
};
struct nest {
	int n;
	union inner u;
	long l;
};
union u {
	struct pair p;
	struct {
		int skip;
		struct pair p;
	} q;
	struct nest n;
	char bytes[20];
	struct pair many[2];
};
union u v, w;
struct pair s;
struct nest t;
this union u x;

BEGIN
{
	s.a = -5;
	s.b = -6;
	s.c = 7;
	s.low = -3;
	s.high = 2;
	v.p = s;
	printf("%d %d %d %d %d, %x %x\n", v.p.a, v.p.b, v.p.c, v.p.low, v.p.high, v.bytes[0], v.bytes[4]);
	/* One int up onto itself. */
	v.q.p = v.p;
	s = v.q.p;
	printf("%d %d %d %d %d, %d\n", s.a, s.b, s.c, s.low, s.high, v.p.a);
	t.n = 1;
	t.u.i = 0x01020304;
	t.l = -9;
	w.n = t;
	t.n = 0;
	t.u.i = 0;
	t.l = 0;
	t = w.n;
	printf("%d %x %d %d\n", t.n, t.u.i, t.l, w.n.u.c[3]);
	i = 1;
	w.many[i] = s;
	s.a = 11;
	w.many[0] = s;
	this->x = w;
	s = this->x.many[i];
	printf("%d %d, %d %d\n", s.a, s.high, this->x.p.a, this->x.many[1].a);
	this->x.many[i].high = 1;
	printf("%d %d\n", this->x.many[i].low, this->x.many[i].high);
	s = (w.p = v.p);
	printf("%d %d\n", s.a, w.p.b);
	exit(0);
}
