/* @@ kernel: nonempty */
profile-97
/arg1/
{
	@[execname, arg1] = count();
}
