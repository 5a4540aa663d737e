BEGIN
{
	x = 1 / 0;
	trace($nosuch);
}
