/* Cut at strsize and at its second argument, both with the NUL; bytes that print nothing. */
/* @@ args: -q -x strsize=8 */
syscall::write:entry
{
	printf("%s|%s|%s|%S\n", copyinstr(arg1), copyinstr(arg1, 4), copyinstr(arg1, 1), copyinstr(arg0));
}
