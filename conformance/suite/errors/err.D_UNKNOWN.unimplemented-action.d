BEGIN
{
	chill(1);
}
