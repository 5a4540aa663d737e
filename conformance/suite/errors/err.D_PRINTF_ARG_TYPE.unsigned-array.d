/* An array of unsigned bytes is no text. */
struct s { uint8_t a[4]; };
BEGIN
{
	this->s = (struct s *)alloca(8);
	printf("[%s]", this->s->a);
}
