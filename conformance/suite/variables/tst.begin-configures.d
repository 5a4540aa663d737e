/* The tracer computes the values before the gate opens. */
/* @@ kernel: nonempty */
BEGIN
{
	limit = 100;
	who = "cat";
}

syscall::read:entry
/arg2 >= limit && execname == who/
{
	@[arg2] = count();
}
