BEGIN
{
	x = 1 / 0;
	y = 08;
}
