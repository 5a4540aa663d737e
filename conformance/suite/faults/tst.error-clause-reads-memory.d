/*
 * An ERROR clause reads what the event has: the memory of the process, and stacks, also where the fault was in the
 * kernel part. Where that cannot be read, the clause faults itself.
 */
syscall::openat:entry
{
	self->x = *(int *)0;
}

ERROR
/arg4 == DTRACEFLT_BADADDR && arg5 == 0/
{
	printf("%s: %s, ", execname, copyinstr(0x10000));
	printf("%d, %d, ", *(int *)copyin(0x10010, 4), *(short *)0x10010);
	printf("%s", copyinstr(arg5 + 0x10003, 3));
	stack();
	ustack(1);
}

ERROR
/pid == 43/
{
	printf("never: %s\n", copyinstr(arg5));
}
