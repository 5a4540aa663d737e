/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
/* @@ engines: interp rbpf */
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
