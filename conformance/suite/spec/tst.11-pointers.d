/* Runtime spec §19, line 11. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%p %#p %p", 0x1234, 0x1234, (void *)0);
	exit(0);
}
