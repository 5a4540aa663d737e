/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%d %d %s\n", signal_name(0) == NULL, signal_name(-9) == NULL, signal_name(31));
	exit(0);
}
