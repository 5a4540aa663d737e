/* A computed array is no storage. */
inline int f[int a] = a;

BEGIN
{
	f[1] = 2;
}
