/* @@ args: -q -x aggsortrev */
/* @@ kernel: nonempty */
syscall::read:entry
{
	@[arg0, arg1] = sum(arg2);
}
