/* Constants are folded while a clause is read: what is complete ahead of a syntax error is told first. */
BEGIN
{
	x = 1 / 0;
	y = ;
}
