/* A string in a union has strsize bytes of it: its letters are there for the other members, zeros behind them. */
/* @@ kernel: nonempty */
/* @@ args: -q -x strsize=20 */
union u {
	string s;
	char a[4];
	int i;
	struct {
		int x;
		string t;
		char last;
	} in;
	string two[2];
};
union u v, w;
struct {
	char c;
	union u u;
} t[3];
union u m[int];
self union u mine;
this union u x;

syscall::read:entry
{
	v.s = execname;
	printf("%s %c%c %x [%s] %d\n", v.s, v.a[0], v.a[2], v.i, v.in.t, v.s[1]);
	v.in.t = "hello world";
	printf("[%s] [%s]\n", v.s, v.in.t);
	v.a[3] = '-';
	printf("%s %d %d\n", v.s, strlen(v.s), v.s == "wor-hello world");
	w = v;
	v.i = arg0;
	printf("[%s] [%s] [%s] [%s]\n", v.s, v.in.t, w.s, w.in.t);
	/* Longer than its room: cut, and what lies behind it stays. */
	v.in.last = 'z';
	v.in.t = "0123456789abcdefghijklmn";
	printf("%s %s %c\n", v.in.t, v.two[1], v.in.last);
	v.s = NULL;
	printf("[%s] %d [%s] [%s] %d\n", v.s, v.i, v.in.t, v.two[1], v.s == NULL);
}

syscall::read:entry
{
	t[1].u.s = "one";
	t[arg1].u.in.t = probefunc;
	t[arg1].u.i = 0x64636261;
	printf("[%s] [%s] [%s] %c\n", t[0].u.s, t[1].u.s, t[arg1].u.s, t[arg1].u.a[3]);
	t[arg1].u.two[arg1 - 1] = strjoin(execname, "!");
	printf("%s [%s] %s\n", t[arg1].u.two[0], t[2].u.two[1], t[arg1].u.two[arg1 - 1]);
	m[7].s = "seven";
	m[8] = m[7];
	m[7].i = 0;
	printf("[%s] %s %c [%s]\n", m[7].s, m[8].s, m[8].a[3], m[9].s);
	self->mine.s = "mine";
	self->mine.a[0] = 'f';
	this->x = self->mine;
	this->x.a[3] = 'd';
	printf("%s %s\n", self->mine.s, this->x.s);
	self->mine.two[arg1 - 1] = "second";
	this->x.two[arg1 - 1] = "third";
	printf("%s %s\n", self->mine.two[1], this->x.two[arg1 - 1]);
}

/* What was stored at one event is there at the next; a predicate reads it. */
syscall::read:return
/m[8].s == "seven" && self->mine.two[1] == "second"/
{
	printf("%s %s\n", m[8].s, self->mine.s);
	@[m[8].s, t[2].u.two[1]] = count();
}
