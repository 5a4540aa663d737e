/* copyinstr without a limit brings strsize bytes with the NUL in the limit: 7 characters. */
/* @@ args: -q -x strsize=8 */
/* @@ kernel: nonempty */
syscall::openat:entry
{
	@[copyinstr(arg1), strjoin(execname, "-and-more"), strlen(copyinstr(arg1))] = count();
}
