/* Inlines: constants, named expressions, aliases of variables, and computed arrays. */
/* @@ kernel: nonempty */
inline int LIMIT = 3 * 2;
inline string who = pid == 42 ? "forty-two" : "other";
inline string name[int n] = n == 0 ? "zero" : n == 1 ? "one" : "many";
inline int plus[int a, int b] = a + b;
inline int above[int64_t a, int64_t b] = a > b;
inline long twice[long n] = plus[n, n];
int total;
inline int all = total;

syscall::read:entry
/above[arg0, LIMIT]/
{
	all += arg0;
	printf("%s %s %d %d", who, name[arg0 - 7], twice[arg0], plus[this->n++, this->n++]);
	printf(" %d\n", total);
}

syscall::read:entry
{
	@[name[arg0], who] = count();
}
