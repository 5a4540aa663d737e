/* a is written from a user value, b depends on a, the aggregation on b. */
/* @@ kernel: nonempty */
int a;
int64_t b;

syscall::read:entry
{
	a = strstr(execname, copyinstr(arg1)) != NULL;
}

syscall::read:entry
/a/
{
	b = b + arg2;
}

syscall::write:entry
/b > 10/
{
	@[b] = count();
}
