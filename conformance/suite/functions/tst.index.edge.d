/* A start below 0 is 0; the empty string is found up to the end. */
syscall::write:entry
{
	printf("%d %d %d %d %d %d\n", index(copyinstr(arg1), "bar", -5), index(copyinstr(arg1), "", 9), index(copyinstr(arg1), "", 10), index(copyinstr(arg1), "r", 8), index(copyinstr(arg1), "r", 9), index("", ""));
}
