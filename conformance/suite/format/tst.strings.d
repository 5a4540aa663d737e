BEGIN
{
	printf("%-8s|%8s|%s%%\n", "ab", "ab", "");
	printf("%S|%c%c|%C%C\n", "a\tb\"c", 'a', 66, 'x', 10);
	exit(0);
}
