/* @@ operands: cat 10 "two words" */
/* @@ kernel: nonempty */
syscall::read:entry
/execname == $$1 && arg0 > $2/
{
	@[$3] = count();
}
