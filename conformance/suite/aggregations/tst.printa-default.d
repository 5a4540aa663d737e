/* @@ kernel: nonempty */
syscall::read:entry
{
	@a[arg0] = count();
	@b[arg0] = sum(3);
}

END
{
	printa(@a, @b);
}
