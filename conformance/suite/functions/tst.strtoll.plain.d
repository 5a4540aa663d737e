syscall::write:entry
{
	printf("%d %d %d\n", strtoll("-42"), strtoll(copyinstr(arg1), 16), strtoll("777", 8));
}
