/* @@ args: -q -x strict=no */
BEGIN
{
	i = 2;
	printf("%s|%s|%s\n", strerror(i), strerror(0), strerror(99999));
	exit(0);
}
