/* Runtime spec §19, line 1. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%d %i %u %x %X %o", 97, 97, 97, 171, 171, 97);
	exit(0);
}
