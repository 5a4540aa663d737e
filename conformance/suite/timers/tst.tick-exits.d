/* @@ kernel: nonempty */
syscall::read:entry
{
	@ = count();
}

tick-2s
{
	exit(0);
}
