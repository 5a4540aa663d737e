BEGIN
{
	trace(1 ? 5 :
	    6 / 0);
}
