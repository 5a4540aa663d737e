/* What stands in an included file, by the line marks of cpp: C with its own words, and types that come before those of D. */
/* @@ args: -q */
# 1 "h.h" 1 3
typedef __signed__ char small_t;
static __inline__ int half(int a) __attribute__((const))
{
	if (a) { return a / 2; }
	return '}';
}
struct pair { union { int first; char bytes[4]; }; struct { short low, high; }; int counter; };
extern int limits[] __asm__("other"), more;
enum colour { RED, GREEN, SIGKILL = 9, };
_Static_assert(sizeof (int) == 4, "int");
# 13 "tst.included-declarations.d" 2
struct pair { char only; } mine;
struct other { struct pair p; small_t s; } v;

BEGIN
{
	v.p.first = 0x42434445;
	v.p.high = 7;
	v.p.counter = 3;
	v.s = 255;
	printf("%d %d %d\n", sizeof (struct pair), sizeof (mine), offsetof(struct pair, high));
	printf("%d %d %d %d\n", v.p.bytes[0], v.p.high, v.p.counter, v.s);
	printf("%d %d", GREEN, SIGKILL);
	exit(0);
}
