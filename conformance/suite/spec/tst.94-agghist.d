/* Runtime spec §19, line 94. */
/* @@ args: -q -x agghist */
BEGIN
{
	@["cat"] = sum(1);
	@["ls"] = sum(3);
	exit(0);
}
