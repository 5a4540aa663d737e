/* @@ args: -q -x strict=no */
BEGIN
{
	i = 9;
	printf("%s|%s|%d\n", signal_name(i), signal_name(15), signal_name(9999) == NULL);
	exit(0);
}
