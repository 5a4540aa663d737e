/* @@ args: -q -x agghist */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[execname] = sum(arg0);
	@n = count();
}
