/* @@ kernel: nonempty */
BEGIN
{
	@[1] = sum(100);
	@[2] = sum(100);
}

syscall::read:entry
{
	@[arg0] = sum(arg1);
}

END
{
	@[1] = sum(1000);
}
