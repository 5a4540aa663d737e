/* A string behind a pointer to scratch memory is written like any other member, with zeros behind it, alone and with its struct. */
/* @@ args: -q -x scratchsize=4096 -x strsize=16 */
struct s {
	string s;
	int i;
	string t;
};
struct s v, w, *p, *q;
string *one;
struct s m[int];
union {
	struct s s;
	char c[36];
} u;

syscall::read:entry
{
	p = alloca(2 * sizeof (struct s));
	v.s = execname;
	v.i = 7;
	*p = v;
	printf("[%s] %d [%s]\n", p->s, p->i, p->t);
	p->t = "far longer than its room";
	p[1] = *p;
	p[1].s = "second";
	printf("[%s] [%s] [%s] [%s]\n", p->s, p->t, p[1].s, p[1].t);
	w = p[1];
	printf("[%s] %d [%s]\n", w.s, w.i, w.t);
	/* An element that was never stored to is NULL: no letters. */
	p->s = m[1].s;
	*(p + 1) = m[1];
	printf("[%s] [%s] %d [%s]\n", p->s, p[1].s, p[1].i, p[1].t);
	p[1].s = p->t;
	m[2] = p[1];
	u.s = *p;
	printf("[%s] [%s] %c\n", m[2].s, u.s.t, u.c[20]);
	u.s.s = "shared";
	*p = u.s;
	printf("%s %s\n", p->s, stringof((char *)p + 20));
	/* Zeros behind what is shorter. */
	p->s = "ab";
	printf("%s %d %d\n", p->s, ((char *)p)[2], ((char *)p)[5]);
	p->s = NULL;
	printf("[%s] %s\n", p->s, p->t);
	q = (struct s *)((char *)p + 1);
	p->s = "overlapping";
	*q = *p;
	printf("[%s] [%s] %c\n", q->s, p->s, ((char *)p)[0]);
}

/* All of its room must be there. */
syscall::read:entry
{
	one = alloca(8);
	*one = "x";
	trace("never");
}

ERROR
{
	printf("fault %d at %d\n", arg4, arg5 == -1);
}
