/* What lies behind an array of length 1 or 0 in a struct is what the layout puts there, in variables as in memory. */
/* @@ kernel: nonempty */
struct s { int a[1]; int b; long c; };
struct tail { short n; char text[1]; };
struct outer { struct tail t; int after; string name; };
# 1 "zero.h" 1 3
struct zero { int n; int at[0]; int first; int second; };
# 8 "tst.open-arrays.d" 2
struct s v, w, t[2];
struct s m[int];
self struct outer mine;
this struct outer x;
struct zero z;
struct s *p;
struct tail rest[3];
int grid[2][1];
string names[2][1];

syscall::read:entry
{
	v.b = arg0;
	printf("%d\n", v.a[1]);
	v.a[1] = 3;
	v.a[arg1] += 4;
	v.a[3] = 1;
	printf("%d %d %d %x\n", v.b, v.a[arg1], *(v.a + 1), v.c);
	w = v;
	t[arg1] = w;
	t[arg1].a[1]--;
	m[5] = t[1];
	m[5].a[arg1 + 1] = 9;
	printf("%d %d %d %x\n", w.b, t[1].b, m[5].b, m[5].c);
	p = alloca(2 * sizeof (struct s));
	*p = m[5];
	printf("%d %d\n", p->a[1], p->a[2]);
}

syscall::read:entry
{
	self->mine.t.n = 513;
	self->mine.after = -1;
	self->mine.name = execname;
	self->mine.t.text[0] = 'a';
	printf("%d %s %d\n", self->mine.t.text[2], self->mine.name, self->mine.t.text[6] == 'w');
	self->mine.t.text[arg1 + 1] = 0;
	printf("%x %c\n", self->mine.after, self->mine.name[0]);
	this->x = self->mine;
	this->x.t.text[6] = 'W';
	printf("%s %s\n", this->x.name, self->mine.name);
	z.first = 5;
	z.at[arg1] = 6;
	printf("%d %d %d\n", z.at[0], z.second, sizeof (z));
	trace(v);
	/* The elements of an array lie one behind the other. */
	rest[0].text[2] = 5;
	rest[arg1].text[arg1 + 2] = -1;
	rest[1].text[1] = 'x';
	printf("%d %x %c\n", rest[1].n, rest[arg1 + 1].n, rest[0].text[5]);
	grid[0][1] = 8;
	grid[1][0]++;
	names[0][1] = "second";
	printf("%d %s [%s]\n", grid[0][arg1], names[1][0], names[0][0]);
}

syscall::read:return
/self->mine.name == "work" && v.a[1] == 7/
{
	@[self->mine.name] = sum(m[5].a[2]);
}
