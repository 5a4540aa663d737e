/* The division by 0 is never reached. */
/* @@ kernel: nonempty */
syscall::read:entry
/arg1 != 0 && arg0 / arg1 == 2/
{
	@["and"] = count();
}

syscall::read:entry
/arg1 == 0 || arg0 / arg1 == 2/
{
	@["or"] = count();
}
