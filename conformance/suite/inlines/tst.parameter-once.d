/* An argument of an inline is evaluated once, however often the parameter occurs, and before what the inline reads. */
int n;
inline int square[int v] = v * v;
inline int pair[int a, int b] = a * 10 + b + n * 100;

BEGIN
{
	printf("%d %d\n", square[++n + 2], n);
	printf("%d %d\n", pair[n++, n++], n);
	exit(0);
}
