/* What an assignment, `?:` or `,` gives is a struct like a variable: its parts can be read, wherever it lies. */
/* @@ kernel: nonempty */
struct in { int x; char n[4]; };
struct s {
	int a;
	int b : 3;
	string z;
	struct in t[2];
	union { int i; char c[4]; } u;
};
struct s v, w;
struct in q[int];

syscall::read:entry
{
	this->l = v;
	v.a = arg0;
	v.b = arg0;
	v.z = execname;
	v.t[1].x = arg1;
	v.u.i = 0x41424344;
	w.a = -1;
	w.z = "w";
	i = (int)arg0 & 1;
	printf("%d %d %s %d %c, ", (i ? v : w).a, (i ? v : w).b, (i ? v : w).z, (i ? v : w).t[i].x,
	    (i ? v : w).u.c[1]);
	printf("%d %d, ", (1 ? v : w).a, (0 ? v : w).a);
	printf("%d %d, ", (i ? this->l : v).a, (i ? i ? v : w : this->l).a);
	printf("%d %d %s %d %c\n", (w = v).a, (this->l = w).b, (w = v).z, (w = v).t[1].x, (w = v).u.c[1]);
}

syscall::write:entry
{
	n = 0;
	q[0].x = arg0;
	q[7].x = 5;
	/* An index is evaluated once, and in the arm that is taken only. */
	printf("%d %d, ", (arg1 ? q[n++] : v.t[n = 1]).x, n);
	n = 6;
	printf("%d %d, ", (q[++n] = q[0]).x, n);
	printf("%d %d, ", (n = 3, q[7]).x, n);
	/* Also if nobody uses the value. */
	(n = 4, q[7]);
	arg1 ? (q[8] = q[7]) : q[n = 5];
	printf("%d %d\n", n, q[8].x);
}

syscall::open:entry
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->x = arg0;
	this->p->n[0] = 'p';
	v.t[0].x = 1;
	v.t[0].n[0] = 'v';
	v.t[0].n[1] = 0;
	/* One of a variable and of memory. */
	printf("%d %s, ", (arg1 ? *this->p : v.t[0]).x, stringof((arg1 ? *this->p : v.t[0]).n));
	v.t[1] = arg1 ? *this->p : v.t[0];
	printf("%d %s\n", v.t[1].x, v.t[1].n);
}
