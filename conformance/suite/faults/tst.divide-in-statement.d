/* What was done before the fault stays; what follows is skipped. 100 % 7 = 2. */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@before = count();
	@value = sum(100 % arg0);
	@after = count();
}
