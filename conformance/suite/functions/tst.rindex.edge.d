syscall::write:entry
{
	printf("%d %d %d %d %d %d\n", rindex(copyinstr(arg1), "bar", -1), rindex(copyinstr(arg1), "foo", 0), rindex(copyinstr(arg1), "bar", 100), rindex(copyinstr(arg1), ""), rindex(copyinstr(arg1), "x"), rindex("", "a"));
}
