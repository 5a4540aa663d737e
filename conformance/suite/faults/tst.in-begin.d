BEGIN
{
	printf("lost\n");
	x = 0;
	printf("%d\n", 7 / x);
}

BEGIN
{
	printf("second\n");
	exit(0);
}
