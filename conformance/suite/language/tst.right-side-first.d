/* The right side of an assignment is evaluated before the place on the left, whatever is stored; `op=` reads the place first. */
/* @@ args: -q */
int n[int], i;
struct e {
	int a;
	int b : 4;
	string s;
};
struct io {
	int n;
	struct e in;
};
union u {
	int whole;
	char bytes[4];
};
translator struct e < int I > {
	a = I;
	b = i;
	s = "made";
};
translator struct io < int I > {
	n = I;
	in = xlate<struct e>(I + 1);
};
string s[int], fixed[4];
struct e v, w[int];
struct io x[int];
union u y, z[int];
self int t[int];

BEGIN
{
	i = 1;
	n[i++] = i;
	printf("scalar %d %d\n", n[1], i);
	i = 1;
	self->t[i++] = i;
	printf("thread's %d %d\n", self->t[1], i);
	i = 1;
	s[i++] = i == 1 ? "one" : "two";
	printf("string %s %d\n", s[1], i);
	i = 1;
	fixed[i++] = i == 1 ? "one" : "two";
	printf("fixed %s %d\n", fixed[1], i);
	i = 1;
	w[i++].a = i;
	printf("member %d %d\n", w[1].a, i);
	i = 2;
	w[i++].b = i;
	printf("bit-field %d %d\n", w[2].b, i);
	v.a = 7;
	v.s = "seven";
	i = 3;
	w[i++] = i == 3 ? v : w[1];
	printf("struct %d %s %d\n", w[3].a, w[3].s, i);
	i = 4;
	w[i++] = xlate<struct e>(i);
	printf("translation %d %d %s %d\n", w[4].a, w[4].b, w[4].s, i);
	i = 5;
	x[i++] = xlate<struct io>(i);
	printf("translations %d %d %d %s %d\n", x[5].n, x[5].in.a, x[5].in.b, x[5].in.s, i);
	i = 6;
	x[i++].in = xlate<struct e>(i);
	printf("member %d %d %d %s %d\n", x[6].n, x[6].in.a, x[6].in.b, x[6].in.s, i);
	y.whole = 0x61626364;
	i = 7;
	z[i++] = i == 7 ? y : z[1];
	printf("union %x %d\n", z[7].whole, i);
	i = 8;
	n[i] = 10;
	n[i++] += i;
	printf("op= %d %d\n", n[8], i);
	p = (int *)alloca(40);
	i = 2;
	p[i++] = i;
	*(p + i++) = i;
	printf("memory %d %d %d\n", p[2], p[3], i);
	i = 1;
	p[1] = 4;
	p[i++] |= i;
	printf("op= %d %d\n", p[1], i);
	exit(0);
}
