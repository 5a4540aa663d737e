/* @@ kernel: nonempty */
/* Whole variables of clauses that run in the kernel: what they hold at the event is what is shown. */
struct pair { int a; char c; long b; };
struct pair g;
self struct pair s;
this struct pair t;
struct pair e[int];
int counts[3];

syscall::read:entry
{
	g.a = arg0;
	g.c = 'g';
	self->s.b = arg2;
	this->t.a = arg0 + 1;
	this->t.b = -arg2;
	e[arg0].c = 'e';
	counts[arg0 % 3]++;
}

syscall::read:entry
{
	print(g);
	printf("\n");
	print(self->s);
	printf("\n");
	print(this->t);
	printf("\n");
	print(e[arg0]);
	printf("\n");
	print(arg0 == 3 ? g : self->s);
	printf("\n");
	trace(counts);
}

syscall::read:return
/self->s.b/
{
	trace(self->s);
	self->s = 0;
}
