syscall::write:entry
{
	this->p = (int *)alloca(8);
	this->p[0] = arg2;
	this->p[1] = 7;
	printf("%d %d\n", this->p[0], this->p[1]);
}
