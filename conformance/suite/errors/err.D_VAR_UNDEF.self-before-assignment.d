BEGIN
{
	x = self->y;
}
