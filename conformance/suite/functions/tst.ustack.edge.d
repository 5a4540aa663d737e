/* Few frames; with names that do not come from files; more than there can be; a thread without a stack. */
syscall::write:entry
{
	printf("%d", arg0);
	ustack(2);
	ustack(2, 64);
	ustack(100000, 0);
}
