/* @@ args: -q -x strict=no */
BEGIN
{
	printf("%s\n", strerror(2));
	exit(0);
}
