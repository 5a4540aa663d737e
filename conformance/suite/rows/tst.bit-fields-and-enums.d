enum hue { RED = 3 };
struct b { int low : 3; unsigned high : 5; unsigned char c : 2; };
BEGIN
{
	p = (struct b *)alloca(sizeof (struct b));
	p->low = -2;
	p->high = 30;
	trace((enum hue)RED);
	trace(",");
	trace(p->low);
	trace(",");
	trace(p->high);
	exit(0);
}
