/* @@ args: -q -x defaultargs */
/* @@ kernel: nonempty */
syscall::read:entry
/arg0 > $1/
{
	@[$$2] = count();
}
