/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN
{
	trace("ab");
	trace("cd");
	exit(0);
}
