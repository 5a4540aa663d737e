/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
syscall::write:entry
{
	trace(arg2);
	trace(execname);
}
