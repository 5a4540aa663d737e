/* Layouts of headers of the system, as gcc has them: packed and aligned structs and members, pragmas, enums beyond int. */
/* @@ args: -q */
# 1 "h.h" 1 3
typedef int word_t __attribute__ ((__mode__ (__word__)));
struct event { unsigned events; unsigned long data; } __attribute__((__packed__));
struct bits { unsigned char a : 3; unsigned b : 20; unsigned short c : 9; } __attribute__((packed));
struct line { char c; } __attribute__((aligned(64)));
struct far { char c; struct line l; int i __attribute__((aligned(32))); char end; };
struct near { char c; int i __attribute__((packed)); short s; };
typedef unsigned long loose_t __attribute__((aligned(4)));
struct loose { int i; loose_t l; };
#pragma pack(push, 2)
struct pair { char c; long l; struct { char d; int e; } in; };
#pragma pack(pop)
struct after { char c; long l; };
struct rest { char c; char none[4 - sizeof (int)]; int i; };
enum top { LOW = 1, HIGH = 0x80000000, NEXT };
enum wide { SMALL = -1, LARGE = 0x100000000 };
enum most { ALL = 0xffffffffffffffff };
int old(a, b, c) int a; char *b; long c; { return a; }
# 22 "tst.headers-layout.d" 2
struct event e;

BEGIN
{
	printf("%d %d %d\n", sizeof (word_t), sizeof (struct event), offsetof(struct event, data));
	printf("%d %d\n", sizeof (struct bits), sizeof (struct line));
	printf("%d %d %d %d\n", sizeof (struct far), offsetof(struct far, l), offsetof(struct far, i), offsetof(struct far, end));
	printf("%d %d %d\n", sizeof (struct near), offsetof(struct near, i), offsetof(struct near, s));
	printf("%d %d %d\n", sizeof (loose_t), sizeof (struct loose), offsetof(struct loose, l));
	printf("%d %d %d\n", sizeof (struct pair), offsetof(struct pair, l), offsetof(struct pair, in));
	printf("%d %d\n", sizeof (struct after), offsetof(struct rest, i));
	printf("%d %d %d %d\n", sizeof (enum top), HIGH > 0, HIGH == 2147483648, NEXT - LOW == 2147483648);
	printf("%d %d %d %d\n", sizeof (enum wide), LARGE, SMALL, sizeof (SMALL));
	printf("%d %d %u\n", sizeof (enum most), ALL > 0, ALL);
	e.data = 7;
	e.events = 1;
	printf("%d %d\n", e.events, e.data);
	a = 5;
	b = "of the script";
	printf("%d %s", a, b);
	exit(0);
}
