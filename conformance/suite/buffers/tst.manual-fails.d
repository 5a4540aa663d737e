/* @@ args: -q -x bufresize=manual -x aggsize=1000t */
/* @@ status: 1 */
BEGIN
{
	exit(0);
}
