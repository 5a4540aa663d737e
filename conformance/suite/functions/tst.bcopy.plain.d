syscall::write:entry
{
	this->p = (char *)alloca(8);
	bcopy("hello", this->p, 6);
	this->q = (char *)alloca(8);
	bcopy(this->p + 1, this->q, 3);
	printf("%s %s\n", stringof(this->p), stringof(this->q));
}
