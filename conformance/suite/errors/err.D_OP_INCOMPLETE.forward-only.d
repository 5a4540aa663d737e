struct ghost_of_nothing *g;

BEGIN
{
	trace(g->x);
}
