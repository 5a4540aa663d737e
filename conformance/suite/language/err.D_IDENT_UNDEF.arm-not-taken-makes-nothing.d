BEGIN
{
	1 ? 0 : (made = 5);
	trace(made);
}
