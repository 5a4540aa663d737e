/* `N * N` is a bound, since N is no type. */
enum { N = 2 };
int a[N * N];

BEGIN
{
	a[4] = 1;
}
