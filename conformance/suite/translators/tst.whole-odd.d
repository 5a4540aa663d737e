/* Translations assigned whole: to a union, with a bit-field, with a member that is a translation, from a struct by value. */
/* @@ kernel: nonempty */
union u { int a; char b; };
struct i { int x; int y; };
struct s { int a; int m : 3; unsigned n : 2; struct i t; union u u; char c; };
struct given { int k; };
translator union u < int i > { a = i; };
translator struct i < int j > { y = j; };
translator struct s < long i > { c = i; a = i; m = i; n = i; t = xlate<struct i>((int)i + 1); u = xlate<union u>((int)i); };
translator struct i < struct given g > { x = g.k; };
struct given g;
struct s v;

syscall::read:entry
{
	v.t.x = 9;
	v.a = -1;
	v = xlate<struct s>(arg0);
	printf("%d %d %d %d %d %d %d %d, ", v.a, v.m, v.n, v.t.x, v.t.y, v.u.a, v.u.b, v.c);
	printf("%d %d, ", xlate<struct s>(arg0).t.y, (v = xlate<struct s>(arg1)).m);
	this->u = xlate<union u>((int)arg0);
	g.k = arg1;
	this->i = xlate<struct i>(g);
	printf("%d %d %d %d, ", this->u.b, this->i.x, this->i.y, xlate<struct i>(g).x);
	printf("%d %d\n", xlate<struct s>(arg0).m, xlate<struct s>(arg0).n);
}
