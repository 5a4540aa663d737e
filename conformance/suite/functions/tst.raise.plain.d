/* A made-up process gets no signal, but the row is there. */
/* @@ args: -w */
/* @@ env: _DTRACE_TESTING=1 */
syscall::write:entry
{
	raise(SIGUSR1);
}
