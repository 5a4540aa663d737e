/* Whole values at odd places: elements of arrays and of associative arrays, parts of unions, chosen structs. */
struct pair { char c; int i; };
union any { string s; char c[8]; struct pair p[2]; };
struct packed { unsigned a : 7; unsigned b : 26; unsigned char c; };
int x[int][3];
self int m[2][2];
this int t[2][2];
int g[2][2];
union any u;
struct packed k;
struct pair one, two;
char key[4];

BEGIN
{
	x[7][1] = 5;
	self->m[1][1] = 9;
	this->t[1][0] = 8;
	g[1][1] = 7;
	i = 1;
	print(x[7]);
	printf("\n");
	print(x[8]);
	printf("\n");
	print(self->m);
	printf("\n");
	print(this->t[1]);
	printf("\n");
	print(g[i]);
	printf("\n");
	u.c[0] = 'a';
	u.c[1] = 'b';
	print(u.c);
	printf(" %s\n", u.c);
	u.p[1].c = 'z';
	u.p[1].i = 3;
	print(u.p[1]);
	printf("\n");
	print(u.p[i]);
	printf("\n");
	k.a = 127;
	k.b = 0x3ffffff;
	k.c = 255;
	trace(k);
	one.i = 1;
	two.i = 2;
	trace(i ? one : two);
	trace(two = one);
	key[0] = 'k';
	known[key] = 6;
	printf("%d %d\n", known["k"], known[key]);
}

BEGIN
{
	i = 2;
	print(g[i]);
}

ERROR
{
	printf("fault %d, %d\n", arg4, arg5);
	exit(0);
}
