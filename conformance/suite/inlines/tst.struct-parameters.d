/* A parameter may be a struct: a variable, memory, or what an operator or an inline gives. */
/* @@ kernel: nonempty */
struct in { int x; int l[3]; };
struct s { int a; struct in m; };
struct s v, w;

inline int first[struct s x] = x.a;
inline int inner[struct s x] = x.m.l[2] + x.m.x;
inline struct s same[struct s x] = x;
inline struct s either[int i, struct s x, struct s y] = i ? x : y;
inline int pair[struct in x, int i] = x.l[i] + x.l[i + 1];

syscall::read:entry
{
	v.a = arg0;
	v.m.x = 10;
	v.m.l[1] = 100;
	v.m.l[2] = 1000;
	w.a = -1;
	i = (int)arg1;
	printf("%d %d %d ", first[v], inner[v], pair[v.m, i]);
	printf("%d %d ", same[v].a, same[same[w]].a);
	printf("%d %d %d ", first[i ? v : w], first[either[i, v, w]], either[1, v, w].m.l[i]);
	printf("%d %d ", either[i, v, either[!i, v, w]].a, first[w = v]);
	w = either[i, w, v];
	printf("%d\n", w.m.x);
}

syscall::write:entry
{
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->a = arg0;
	this->p->m.l[1] = 7;
	this->p->m.l[2] = 8;
	printf("%d %d %d %d\n", first[*this->p], inner[*this->p], pair[this->p->m, 1], first[arg1 ? *this->p : v]);
}
