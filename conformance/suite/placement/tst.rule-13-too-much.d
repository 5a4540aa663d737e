/* A key of six strings of 4096 bytes is more than the kernel part has memory for at once. The program is placed again, and
 * user space has all but the strings themselves. */
/* @@ args: -q -x strsize=4096 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	self->n++;
	@[copyinstr(arg0), copyinstr(arg1), copyinstr(arg2), copyinstr(arg1), copyinstr(arg0), copyinstr(arg3)] = count();
}

syscall::write:entry
{
	printf("%d\n", self->n);
	printa("%s %s %s %s %s %s %@d\n", @);
}
