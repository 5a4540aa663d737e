/* The token behind the 0 is none, so that the division waits. */
BEGIN
{
	x = 1 / 0 $nosuch;
}
