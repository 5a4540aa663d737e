BEGIN
{
	x = 19; y = -5;
	printf("%d %d %d %d\n", x / y, x % y, x >> 1, y >> 1);
	printf("%d %d %d\n", x == 19 && y, x ^^ 0, !y);
	printf("%d %d\n", -1 == 4294967295U, ~x);
	exit(0);
}
