/* Packed members in unions lie across the words that the union is kept as. */
/* @@ kernel: nonempty */
# 1 "packed.h" 1 3
struct event { unsigned events; long data; } __attribute__((__packed__));
struct odd { char c; unsigned long l; short s : 5; long f : 62; unsigned short u; } __attribute__((packed));
# 6 "tst.packed-in-unions.d" 2
union u {
	struct event e[2];
	struct odd o;
	char byte[24];
	struct {
		char before;
		struct odd o;
	} later;
};
union u v;
union u m[int];
self union u mine;
this union u x;
struct event e;
struct odd o;

syscall::read:entry
{
	v.e[0].data = arg0;
	v.e[1].data = -arg0;
	v.e[1].events = arg0;
	printf("%d %d %x\n", v.e[0].data, v.e[1].data, v.e[1].events);
	printf("%x %x %x %x\n", v.byte[3], v.byte[4], v.byte[11], v.byte[12]);
	v.e[arg1].data++;
	v.e[arg1 - 1].data -= 2;
	printf("%d %d %d\n", v.e[0].data, v.e[arg1].data, v.e[arg1].events == 0x55667788);
	e = v.e[arg1];
	m[1].e[0] = e;
	m[1].e[arg1] = v.e[0];
	printf("%d %x %d\n", e.data, m[1].e[0].events, m[1].e[1].data);
}

syscall::read:entry
{
	v.o.l = arg0;
	v.o.f = -arg1;
	v.o.s = 17;
	v.o.u = 65535;
	printf("%x %d %d %u %d\n", v.o.l, v.o.f, v.o.s, v.o.u, v.byte[0]);
	o = v.o;
	self->mine.later.o = o;
	self->mine.later.o.f += 5;
	printf("%x %d %u\n", self->mine.later.o.l, self->mine.later.o.f, self->mine.later.o.u);
	this->x.later.o = self->mine.later.o;
	this->x.later.o.l >>= 4;
	printf("%x %d %d %u\n", this->x.later.o.l, this->x.later.o.s, this->x.later.o.f, this->x.later.o.u);
	trace(v);
}

syscall::read:return
/self->mine.later.o.l == 0x1122334455667788/
{
	printf("%d %d\n", m[1].e[1].data, self->mine.later.o.f);
}
