syscall::write:entry
{
	@a[execname] = sum(arg2);
}
END { printa(@a); printa("%s=%@d\n", @a); }
