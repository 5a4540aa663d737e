/* @@ args: -q -x bufpolicy=fill */
/* @@ kernel: nonempty */
syscall::read:entry
{
	trace(10 / (arg0 - 2));
}
