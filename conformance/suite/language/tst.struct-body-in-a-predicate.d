/* A struct may be written where a type is wanted, in a predicate too. */
/* @@ args: -q */
BEGIN
/sizeof (struct { int a; long b; }) == 16 && offsetof(struct { char c; short d; }, d) == 2/
{
	printf("%d", sizeof (struct { char e[3]; }));
	exit(0);
}
