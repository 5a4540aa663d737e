/* @@ args:  */
/* @@ env: _DTRACE_TESTING=1 */
syscall::write:entry
{
	trace(1);
	trace("ab");
	trace((char)2);
	printf("<%d>", 3);
	printf("<%d>", 4);
}
