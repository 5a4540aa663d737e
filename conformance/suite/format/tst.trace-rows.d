/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
BEGIN
{
	trace((char)-1);
	trace((short)7);
	trace(42);
	trace(-1LL);
	exit(0);
}
