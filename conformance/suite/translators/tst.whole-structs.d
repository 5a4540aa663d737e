/* A translation assigned whole: members that are structs, arrays and texts; what has no definition is zero. */
struct in { int a; char n[4]; };
struct in src;
struct out {
	struct in i;
	char name[8];
	int m[2];
	int z;
	int none;
};
int pair[2];
translator struct out < int v > {
	i = src;
	name = "abc";
	m = pair;
	z = v + 1;
};
struct out o, p;

BEGIN
{
	src.a = 4;
	src.n[0] = 'x';
	pair[1] = 6;
	o = xlate<struct out>(2);
	printf("%d %s %s %d %d %d %d\n", o.i.a, o.i.n, o.name, o.m[0], o.m[1], o.z, o.none);
	p.z = 9;
	o = pid ? p : o;
	printf("%d %d\n", o.z, o.i.a);
	exit(0);
}
