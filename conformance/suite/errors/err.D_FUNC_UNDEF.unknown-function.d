BEGIN
{
	ghost();
}
