/* Floating-point values: recorded, printed, measured, and nothing else (language spec 5.12). */
struct point { float x; double y; int n; };
double nothing;
struct point p;

BEGIN
{
	this->d = (uint64_t *)alloca(8);
	this->f = (uint32_t *)alloca(4);
	*this->d = 0x3ff8000000000000;
	*this->f = 0xbe800000;
	printf("%f %e %g %E %G\n", *(double *)this->d, *(double *)this->d, *(double *)this->d, *(double *)this->d,
	    *(double *)this->d);
	printf("[%f] [%.2f] [%+g] [%10.3f] [%-10.1f] [%010.1f]\n", *(float *)this->f, *(float *)this->f,
	    *(float *)this->f, *(float *)this->f, *(float *)this->f, *(float *)this->f);
	*this->d = 0x7ff0000000000000;
	printf("%f %G\n", *(double *)this->d, *(double *)this->d);
}

BEGIN
{
	this->q = (struct point *)alloca(24);
	*(uint32_t *)&this->q->x = 0x40490fdb;
	*(uint64_t *)&this->q->y = 0xc000000000000000;
	this->q->n = 4;
	p = *this->q;
	printf("%f %g %d %d\n", p.x, p.y, p.n, sizeof (p.y));
	print(p);
	printf("\n");
	print(p.y);
	printf("\n");
	trace(p.x);
	trace(nothing);
	printf("\n");
}

BEGIN
{
	printf("%lc%wc\n", 0x41, 0x20ac);
	exit(0);
}
