/* A union in a union is assigned as many bytes as it has; what lies behind it stays (C's rules for its members). */
#pragma D option quiet

union small { short a[2]; int b; };
union large { union small m; long long i; };
union pair { union small m[2]; struct { union small first; int second; } s; };

union large g;
union small z;
union pair p;
self union large t;
union large keyed[int];

BEGIN
{
	g.i = 0x1122334455667788;
	g.m = z;
	printf("%x\n", g.i);
	z.b = 0x0a0b0c0d;
	g.m = z;
	printf("%x %x\n", g.i, g.m.a[1]);
	p.m[1].b = 0x585e;
	p.m[0] = z;
	printf("%x %x %x\n", p.m[0].b, p.m[1].b, p.s.second);
	p.m[1] = p.m[0];
	p.s.first = g.m;
	printf("%x %x\n", p.m[0].b, p.m[1].b);
	p.s.first.b = 1;
	p.m[0] = p.m[1];
	printf("%x\n", p.s.first.b);
}

syscall::read:entry
{
	self->t.i = arg0;
	self->t.m = z;
	keyed[1].i = arg0;
	keyed[1].m = self->t.m;
	this->q = &p.m[arg1];
	printf("%x %x %x\n", self->t.i, keyed[1].i, this->q->b);
}
