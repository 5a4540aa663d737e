BEGIN
{
	x = substr("a");
}
