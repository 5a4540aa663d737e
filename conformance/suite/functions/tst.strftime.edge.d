/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%s|%s|%s|%s\n", strftime("", 1), strftime("%9N", 1), strftime("%T", -1), strftime("%%q", 0));
	exit(0);
}
