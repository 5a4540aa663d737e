/* Runtime spec §19, line 35. */
/* @@ env: LC_ALL=C */
BEGIN
{
	printf("%s,", strtok(",,ab,cd", ","));
	printf("%s,", strtok(NULL, ","));
	printf("%d", strtok(NULL, ",") == NULL);
	exit(0);
}
