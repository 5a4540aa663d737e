/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = sum(arg0);
	@m = max(arg0);
}
