/* A pointer to a part of a variable reads the variable, as it is at that moment, wherever the pointer is kept. */
/* @@ kernel: nonempty */
struct s {
	int a;
	short b;
	unsigned char c[5];
	unsigned low : 4;
	long d;
};
struct n {
	struct n *next;
	int v;
	char name[8];
};
struct s v, copy, *sp;
struct n l[3], *np;
int a[4], *p;
self struct { int mine[3]; } s;
this struct s x;
int *of[int];
struct o { int twice; };
inline int second[int *q] = q[1];
inline string text[char *q] = stringof(q);
translator struct o < int *Q > { twice = 2 * *Q; };

syscall::read:entry
{
	v.a = arg0;
	v.b = -arg1;
	v.c[1] = 200;
	v.low = 9;
	v.d = arg0 << 8;
	p = &v.a;
	printf("%d", *p);
	v.a++;
	printf(" %d %d %d\n", *p, p == &v.a, p != NULL);
	sp = (struct s *)p;
	printf("%d %d %d %d %x\n", sp->a, sp->b, sp->c[arg1], sp->low, sp->d);
	this->q = &v.c[0];
	printf("%d %d %d\n", this->q[1], *(this->q + arg1), *(unsigned *)&v.b == 0xc800ffff);
	copy = *sp;
	printf("%d %d %x\n", copy.b, copy.c[1], copy.d);
	this->x.d = 5;
	this->y = &this->x.d;
	this->x.d += arg1;
	printf("%d\n", *this->y);
}

syscall::read:entry
{
	l[0].next = &l[2];
	l[2].next = &l[arg1];
	l[1].v = 11;
	l[2].v = 22;
	l[2].name[0] = 'x';
	l[2].name[1] = 'y';
	np = &l[0];
	printf("%d %s %d %d\n", np->next->v, np->next->name, strlen(np->next->name), np->next->next->v);
	np++;
	printf("%d %d\n", np->v, np[1].v);
	a[2] = 5;
	of[7] = &a[1];
	self->p = of[7];
	self->s.mine[1] = 8;
	self->r = &self->s.mine[0];
	printf("%d %d %d\n", self->p[1], self->r[1], *--(self->p));
	printf("%d %s %d\n", second[&a[1]], text[l[2].name], xlate <struct o> (&a[2]).twice);
}

/* The bytes of memory and of variables by one pointer. */
syscall::read:entry
{
	this->m = (int *)curthread;
	this->w = arg1 ? &a[1] : this->m;
	tracemem(this->w, 12);
	this->w = (int *)arg2;
	printf("%d\n", *this->w);
}

syscall::read:entry
{
	print((struct s *)&v.a);
	this->n = (int *)NULL;
	this->n = v.a ? this->n : &a[0];
	printf("%d\n", *this->n);
}

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}

syscall::read:return
/self->r[0] == 0 && self->r[1] == 8 && np->v == 11/
{
	@[np->v] = sum(*of[7]);
}
