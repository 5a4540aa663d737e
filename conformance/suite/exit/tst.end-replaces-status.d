/* @@ status: 5 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	exit(1);
}

END
{
	exit(5);
}
