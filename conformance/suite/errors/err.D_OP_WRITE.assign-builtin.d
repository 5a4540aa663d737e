BEGIN
{
	pid = 2;
}
