/* @@ kernel: nonempty */
BEGIN
{
	wanted["cat"] = 1;
	wanted["dd"] = 2;
	wanted["gone"] = 3;
	wanted["gone"] = 0;
}

syscall::read:entry
/wanted[execname]/
{
	@[execname] = sum(wanted[execname]);
}
