/* A signal that is none is nobody's business. */
/* @@ args: -w */
/* @@ env: _DTRACE_TESTING=1 */
syscall::write:entry
{
	raise(arg2);
	raise(0);
	raise(-1);
	raise(1000);
	trace(1);
}
