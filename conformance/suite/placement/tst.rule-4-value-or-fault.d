/* @@ kernel: nonempty */
syscall::openat:entry
{
	if (strstr(execname, copyinstr(arg2)) != NULL)
		printf("%s %d\n", copyinstr(arg1), 100 / arg0);
	else
		printf("skipped\n");
}
