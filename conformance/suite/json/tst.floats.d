/* What is not a number, or too large for one, is null: JSON has neither. */
/* @@ args: --format json */
struct f { float v; double d; };
BEGIN
{
	p = (struct f *)alloca(16);
	q = (uint64_t *)((char *)p + 8);
	*(int *)p = 0x7fc00000;
	*q = 0x7ff0000000000000;
	trace(p->v);
	trace(p->d);
	*(int *)p = 0x3fc00000;
	*q = 0xbff8000000000000;
	trace(p->v);
	trace(p->d);
	exit(0);
}
