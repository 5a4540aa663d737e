/* @@ kernel: nonempty */
BEGIN
{
	start = timestamp;
}

syscall::read:entry
{
	@[timestamp - start, walltimestamp] = count();
}
