BEGIN
{
	@ = sum(30);
	normalize(@, 10);
	normalize(@, 0);
	exit(0);
}
