/* Runtime spec §19, line 29. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%d %d %d", rindex("foobarbar","bar"), rindex("foobarbar","bar",5), rindex("foobarbar","bar",-1));
	exit(0);
}
