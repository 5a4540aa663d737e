/* Storing 0 removes the element. */
/* @@ kernel: nonempty */
int64_t total[string];

syscall::read:entry
{
	total[execname] += arg2;
}

syscall::write:entry
/total[execname] > 100/
{
	printf("%s %d\n", execname, total[execname]);
	total[execname] = 0;
}
