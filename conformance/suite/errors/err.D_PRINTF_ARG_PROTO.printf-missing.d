BEGIN
{
	printf("%s");
}
