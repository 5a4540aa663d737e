/* Up to the last byte, no byte, and onto itself: what is copied is read before. */
syscall::write:entry
{
	this->p = (char *)alloca(8);
	this->p[0] = 'x';
	bcopy("ab", this->p + 7, 1);
	bcopy("q", this->p, 0);
	this->p[1] = 'y';
	bcopy(this->p, this->p + 1, 2);
	printf("%c%c%c%d%c\n", this->p[0], this->p[1], this->p[2], this->p[3], this->p[7]);
}
