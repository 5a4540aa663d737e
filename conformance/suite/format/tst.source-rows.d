/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
/* @@ kernel: nonempty */
syscall::read:entry
{
	trace(arg0);
	trace(execname);
}
