/* The clauses after the faulting one run. */
/* @@ kernel: nonempty */
syscall::read:entry
/100 / arg0 > 10/
{
	@["big"] = count();
}

syscall::read:entry
{
	@["seen"] = count();
}
