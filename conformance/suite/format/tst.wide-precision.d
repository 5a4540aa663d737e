/* A precision of wide strings counts bytes and cuts between characters; of one character it says nothing. */
struct w { int w[4]; };
BEGIN
{
	this->p = (struct w *)alloca(16);
	this->p->w[0] = 0x20ac;
	this->p->w[1] = 0x41;
	printf("[%.1ls|%.2ls|%.3ls|%.4ls|%.9ls]", this->p->w, this->p->w, this->p->w, this->p->w, this->p->w);
	printf("[%.2lc|%3.1ls|%-4.3ls]", 0x20ac, this->p->w, this->p->w);
	exit(0);
}
