BEGIN
{
	printf("%*d|%-*d|%*d|\n", 5, 7, 5, 7, -5, 7);
	printf("%.2s|%5.1s|%.0s|%.*s\n", "hello", "hello", "hello", 3, "hello");
	printf("%?d|%-?x|\n", 7, 255);
	exit(0);
}
