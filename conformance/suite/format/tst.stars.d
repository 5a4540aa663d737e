/* A negative width is left-justified; a precision of 0 or below is none. */
BEGIN
{
	x = -4;
	y = -1;
	printf("%*d|%*.*d|%-*s|%.*s|%.*s|%*.*s|\n", x, 7, 6, 3, 7, 3, "a", y, "all", 0, "all", 5, 2, "abc");
	exit(0);
}
