/* Arrays and structs in memory are dumped whole; characters too. */
struct s { char c[4]; short n[2]; };
BEGIN
{
	this->p = (struct s *)alloca(sizeof (struct s));
	this->p->c[0] = 'a';
	this->p->n[1] = 0x4142;
	trace(this->p->c);
	trace(this->p->n);
	trace(*this->p);
	exit(0);
}
