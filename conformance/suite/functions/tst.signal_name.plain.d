/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%s %s\n", signal_name(9), signal_name(15));
	exit(0);
}
