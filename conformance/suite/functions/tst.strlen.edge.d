/* Empty; a copy of at most 7 characters; a constant that is longer than strsize. */
/* @@ args: -q -x strsize=8 */
syscall::write:entry
{
	printf("%d %d %d\n", strlen(""), strlen(copyinstr(arg1)), strlen("0123456789"));
}
