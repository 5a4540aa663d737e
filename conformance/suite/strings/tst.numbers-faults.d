/* Bases out of range, and strtok before any string. */
BEGIN
{
	printf("%d", strtoll("1", 37));
}

BEGIN
{
	printf("%s", lltostr(1, 1));
}

BEGIN
{
	printf("%s", strtok(NULL, ","));
}

BEGIN
{
	printf("%s", toupper(NULL));
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("%d\n", arg4);
}
