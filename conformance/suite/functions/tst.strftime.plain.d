/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%s\n", strftime("%Y-%m-%d %H:%M:%S.%3N", 1075064400123456789));
	exit(0);
}
