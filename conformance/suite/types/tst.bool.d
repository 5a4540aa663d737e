/* What is assigned to a _Bool, cast to it, or given to a parameter or key of the type is 0 or 1. */
/* @@ kernel: nonempty */
struct b { _Bool m; _Bool f : 1; _Bool g : 1; };
_Bool g, a[2], by[_Bool];
self _Bool s;
this _Bool c;
struct b st;
inline _Bool param[_Bool x] = x;
inline _Bool computed = arg0 - 1;

syscall::read:entry
{
	g = arg0;
	a[1] = arg0 << 8;
	self->s = arg0;
	this->c = arg0;
	st.m = arg0;
	st.f = arg0;
	st.g = arg0 & 2;
	printf("%d%d%d%d %d%d%d, ", g, a[1], self->s, this->c, st.m, st.f, st.g);
	printf("%d%d%d %d%d, ", (_Bool)arg0, (_Bool)256, (_Bool)0, param[arg0], computed);
	by[arg0] = arg0 & 0xff;
	printf("%d %d, ", by[0], by[1]);
	printf("%d%d, ", g = 300, st.m = 1 << 9);
	g--;
	printf("%d", g);
	g--;
	printf("%d", g);
	g += 5;
	printf("%d", g);
	g <<= 8;
	printf("%d ", g);
	this->p = (_Bool *)alloca(2);
	*this->p = arg0;
	this->p[1] = 2;
	printf("%d%d %d%d\n", *this->p, this->p[1], *(unsigned char *)this->p, (_Bool)this->p);
	@[param[arg0]] = count();
}
