/* The first argument of `openat` is no path, as it is in `open`. */
syscall::open*:entry
{
	printf("%s\n", copyinstr(arg0));
}
