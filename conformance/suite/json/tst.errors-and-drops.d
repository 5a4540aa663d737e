/* @@ args: --format json -x aggsize=64 */
BEGIN
{
	@[1] = count();
	@[2] = count();
	@[3] = count();
	i = 3;
	trace(10 / (i - 3));
}
BEGIN
{
	trace(*(int *)8);
}
BEGIN
{
	exit(0);
}
