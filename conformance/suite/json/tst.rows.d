/* Rows look the same with and without -q; there is no heading and no empty line. */
/* @@ args: --format json */
/* @@ status: 3 */
BEGIN
{
	trace(-1);
	trace(0xffffffffffffffff);
	trace("a\"b\n");
	printf("%d|%s", 5, "x");
}
BEGIN
{
}
BEGIN
{
	exit(3);
}
