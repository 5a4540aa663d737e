/* An empty body makes a row; one that only assigns does not. */
/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
/* @@ kernel: nonempty */
syscall::read:entry
{
}

syscall::read:entry
{
	x = arg0;
}
