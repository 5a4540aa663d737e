/* A floating-point number whose value nobody uses is read for its faults only. */
struct s {
	float f;
	double d;
};
struct s v, *p;

BEGIN
{
	v.d;
	(v.d, 1);
	1, v.f;
	x = (v.d, 7);
	pid ? v.d : v.d;
	trace(x);
}

BEGIN
{
	p = NULL;
	p->d;
	trace("never");
}

ERROR
{
	printf(" fault %d at %d\n", arg4, arg5);
	exit(0);
}
