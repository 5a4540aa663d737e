BEGIN
{
	printf("%5.3s|%-6d|%+d|%06d|% d|%.0s|%*d|%%|%x\n", "abcdef", 42, 0, -42, 7, "all", -4, 5, (char)-1);
	exit(0);
}
