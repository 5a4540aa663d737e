syscall::write:entry
{
	this->a = (char *)alloca(8);
	this->b = (char *)alloca(249);
}
syscall::write:entry
{
	this->z = (char *)alloca(0);
	printf("%d", *this->z);
}
syscall::write:entry
{
	this->n = -1;
	this->z = (char *)alloca(this->n);
}
