/* @@ args: -w --format json */
/* What the consumer cannot do is an error line, too, with the code of the library and no instruction. */
BEGIN
{
	@ = sum(4);
	setopt("nope");
	setopt("bufsize", "4k");
	normalize(@, 0);
	freopen("/nosuch/x");
	exit(0);
}
