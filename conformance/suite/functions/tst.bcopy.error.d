syscall::write:entry
{
	this->p = (char *)alloca(8);
	bcopy("hello", this->p + 4, 5);
}
syscall::write:entry
{
	this->p = (char *)alloca(8);
	bcopy((void *)16, this->p, 4);
}
