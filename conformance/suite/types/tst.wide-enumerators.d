/* Enumerators of C's headers may be wider than int: each has the first of int, unsigned and long that holds it. */
# 1 "wide.h" 1
enum wide { W = 0x80000000, V, U = 0x123456789, S = -1 };
enum unsigned_one { T = 0xffffffff };
# 6 "wide.d" 2
enum wide w;

BEGIN
{
	w = U;
	printf("%u %u %d %d %u\n", W, V, U, S, T);
	printf("%d %d %d %d %d\n", sizeof (W), sizeof (U), sizeof (S), sizeof (enum wide), sizeof (enum unsigned_one));
	printf("%d %d %d %d\n", w == U, w == W, W > 0, T + 1 > T);
	trace(W);
	exit(0);
}
