/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg1] = count();
	clear(@);
}
syscall::write:entry
{
	@[arg1] = count();
	@q = quantize(arg0);
	printa("%d %@d\n", @);
}
