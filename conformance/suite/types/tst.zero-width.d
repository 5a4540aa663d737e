/* A bit-field of no width pads what stands before it, also at the end of a struct. */
/* @@ args: -q */
struct a { char a; long : 0; };
struct b { char a : 3; int : 0; };
struct c { struct { unsigned short a : 3; unsigned long : 0; } q; short r; };
struct d { char a; long : 0; char b; };
BEGIN
{
	printf("%d %d %d %d\n", sizeof (struct a), sizeof (struct b), sizeof (struct c), sizeof (struct d));
}
