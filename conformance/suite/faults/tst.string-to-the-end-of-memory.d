/* A string that runs into memory that is not there ends where memory ends; the rest of a page is zero. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::open:entry
{
	printf("%d %s\n", strlen(copyinstr(arg0)), copyinstr(arg0));
}

syscall::read:entry
{
	printf("%d\n", *(int *)copyin(arg1, 4));
}

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}
