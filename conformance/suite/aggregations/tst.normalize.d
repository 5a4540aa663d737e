/* @@ kernel: nonempty */
syscall::read:entry
{
	@s[execname] = sum(arg0);
	@a = avg(arg0);
	@l = lquantize(arg0, 0, 10, 5);
}

END
{
	normalize(@s, 5);
	normalize(@s, 2);
	normalize(@a, 2);
	normalize(@l, 2);
	printa("%s %@d\n", @s);
	printa(@s);
	printa(@a);
	printa(@l);
	denormalize(@s);
	printa("%s %@d\n", @s);
}
