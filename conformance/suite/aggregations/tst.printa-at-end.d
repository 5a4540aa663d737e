/* A key that one of them lacks prints 0. Printed once, so not again at the end. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@n[execname, arg0] = count();
	@s[execname, arg0] = sum(arg1);
}

syscall::write:entry
{
	@s[execname, arg0] = sum(arg1);
}

END
{
	printa("%s/%d: %@d calls, %@d bytes\n", @n, @s);
}
