/* Runtime spec §19, line 28. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%d %d %d %d", index("foobarbar","bar"), index("foobarbar","bar",4), index("foo","x"), index("foo","",2));
	exit(0);
}
