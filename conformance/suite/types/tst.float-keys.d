/* Floating-point keys are compared by their bytes, sorted by their value, and printed as trace() prints them. */
struct point { float x; double y; long double z; };
struct point p;
int by[double];
inline int known[double d] = by[d];

BEGIN
{
	this->q = (struct point *)alloca(sizeof (struct point));
	this->y = (uint64_t *)&this->q->y;
	this->x = (uint32_t *)&this->q->x;
	*this->y = 0x4004000000000000;
	*this->x = 0x40200000;
	p = *this->q;
	@y[p.y, "p"] = count();
	@y[this->q->y, "q"] = count();
	@x[p.x] = sum(2);
	by[p.y] = 7;
	z[p.x, 1] = 8;
	*this->y = 0xc059000000000000;
	*this->x = 0x3e800000;
	@y[this->q->y, "q"] = count();
	@x[this->q->x] = sum(3);
	@x[p.x] = sum(4);
	printf("%d %d %d %d %d\n", by[p.y], by[this->q->y], known[p.y], z[p.x, 1], z[this->q->x, 1]);
	printa(@y);
	printa("[%g] %@d\n", @x);
	printa("[%10.2f] %s %@d\n", @y);
	@n[p.z] = count();
	exit(0);
}
END
{
	trunc(@y);
	trunc(@x);
}
