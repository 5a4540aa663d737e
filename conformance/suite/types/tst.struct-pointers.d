/* Members through a pointer to memory of the process; structs are copied out of it. */
/* @@ kernel: nonempty */
struct inner {
	int8_t a;
	uint16_t b;
};
struct outer {
	int n;
	struct inner in[2];
	struct inner *next;
	char name[8];
	unsigned f : 3, g : 7;
};
struct outer v;

syscall::write:entry
{
	this->p = (userland struct outer *)arg1;
	printf("%d %d %d %s %d %d\n", this->p->n, this->p->in[1].a, this->p->in[arg2].b, this->p->name, this->p->f,
	    this->p->g);
	v = *this->p;
	printf("%d %d %d %c %d\n", v.n, v.in[1].a, v.in[1].b, v.name[1], v.g);
	printf("%d %d\n", (int)((uintptr_t)&this->p->in[1].b - arg1), (int)(&this->p->in[1] - &this->p->in[0]));
	trace(this->p->next->b);
}
