/* A struct is read whole before any of it is stored, also onto itself, and before the left side is evaluated. */
/* @@ args: -q */
struct e {
	int a;
	int b;
};
struct t {
	int a[3];
};
struct e v, w[int];

BEGIN
{
	p = (struct e *)alloca(16);
	q = (int *)p;
	p->a = 1;
	p->b = 2;
	*(struct e *)((char *)p + 4) = *p;
	printf("%d %d %d\n", q[0], q[1], q[2]);
	r = (struct t *)alloca(16);
	q = (int *)r;
	r->a[0] = 1;
	r->a[1] = 2;
	r->a[2] = 3;
	*(struct t *)((char *)r + 4) = *r;
	printf("%d %d %d %d\n", q[0], q[1], q[2], q[3]);
	*r = *(struct t *)((char *)r + 4);
	printf("%d %d %d %d\n", q[0], q[1], q[2], q[3]);
	v.a = 5;
	w[(v.a = 7)] = v;
	w[(v.b = 8)] = v.b ? v : w[7];
	printf("%d %d, %d %d\n", w[7].a, w[7].b, w[8].a, w[8].b);
	exit(0);
}
