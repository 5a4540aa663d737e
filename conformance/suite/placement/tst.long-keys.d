/* A key of three strings of 4096 bytes. */
/* @@ args: -q -x strsize=4096 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[copyinstr(arg0), copyinstr(arg1), strjoin(copyinstr(arg2), execname)] = count();
}
