/* @@ args: -q -x strict=no */
BEGIN
{
	i = -1;
	printf("%s|%s|%s\n", strerror(0), strerror(i), strerror(4096));
	exit(0);
}
