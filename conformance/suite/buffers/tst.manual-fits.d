/* @@ args: -q -x bufresize=manual -x aggsize=64k */
BEGIN
{
	trace(1);
	exit(0);
}
