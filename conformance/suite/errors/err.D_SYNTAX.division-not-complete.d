/* The parenthesis is open where the error is, so that nothing is divided by what is in it. */
BEGIN
{
	x = 1 / (0;
}
