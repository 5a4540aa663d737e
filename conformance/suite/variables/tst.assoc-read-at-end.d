/* @@ kernel: nonempty */
syscall::read:entry
{
	bytes[execname] = arg2;
}

END
{
	printf("%d %d %d\n", bytes["cat"], bytes["dd"], bytes["none"]);
}
