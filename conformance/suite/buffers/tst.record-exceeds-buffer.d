/* @@ args: -q -b 4k -x strsize=1000 */
/* @@ status: 1 */
BEGIN
{
	printf("%s%s%s%s%s", "a", "b", "c", "d", "e");
	exit(0);
}
