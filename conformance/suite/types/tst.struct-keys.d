/* Structs and arrays as keys are compared by their bytes, and printed as a dump. */
struct key { char c; int i; };
struct key k, l;
int arr[2];
int known[struct key];

BEGIN
{
	k.c = 'k';
	k.i = 1;
	l.c = 'k';
	l.i = 2;
	known[k] = 10;
	known[l] = 20;
	x[k, 1] = 30;
	printf("%d %d %d %d\n", known[k], known[l], x[k, 1], x[l, 1]);
	@s[k] = count();
	@s[l] = count();
	@s[k] = count();
	@a[arr] = sum(5);
	arr[1] = 9;
	@a[arr] = sum(6);
	printa(@s);
	printa(@a);
	exit(0);
}
END
{
	trunc(@s);
	trunc(@a);
}
