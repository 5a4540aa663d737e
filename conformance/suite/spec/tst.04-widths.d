/* Runtime spec §19, line 4. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("[%5d|%-5d|%05d|%+d|% d]", 42, 42, 42, 42, 42);
	exit(0);
}
