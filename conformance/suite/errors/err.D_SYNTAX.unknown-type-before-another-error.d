/* The first error is the one to report. */
BEGIN
{
	x = (ghost_t *)0;
	y = 099;
}
