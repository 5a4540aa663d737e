BEGIN
{
	@a = count();
	@a = max(1);
}
