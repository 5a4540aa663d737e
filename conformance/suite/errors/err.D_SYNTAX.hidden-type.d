/* A variable hides the type of its name. */
BEGIN
{
	size_t = 5;
	x = (size_t)x;
}
