/* @@ args: -w */
/* @@ env: _DTRACE_TESTING=1 */
syscall::write:entry
{
	stop();
}
