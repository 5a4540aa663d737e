/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
/* @@ engines: interp rbpf */
syscall::read:entry
{
	@[execname] = sum(arg0);
	@m = max(arg0);
}
