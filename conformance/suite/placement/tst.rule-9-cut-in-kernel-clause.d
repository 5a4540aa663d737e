/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0] = count();
}

syscall::write:entry
/arg0 == 1/
{
	printa("%d:%@d ", @);
	trunc(@);
}

END
{
	printf("\n");
}
