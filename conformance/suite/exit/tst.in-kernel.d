/* The gate shuts at once: later clauses of the firing and later events do not count. */
/* @@ status: 3 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@["reads"] = count();
}

syscall::write:entry
/arg0 == 2/
{
	exit(3);
}

syscall::write:entry
{
	@["writes"] = count();
}
