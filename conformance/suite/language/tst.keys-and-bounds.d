/* In the brackets of a declaration a type makes a key, anything else a bound. */
/* @@ args: -q */
enum { N = 2 };
int key[uint16_t], keys[uint16_t, string], named[uint16_t k];
int bound[N], product[N * N];

BEGIN
{
	key[65537] = 1;
	keys[1, "a"] = 2;
	named[3] = 3;
	bound[N - 1] = 4;
	product[3] = 5;
	printf("%d %d %d %d %d", key[1], keys[1, "a"], named[3], bound[1], product[3]);
	exit(0);
}
