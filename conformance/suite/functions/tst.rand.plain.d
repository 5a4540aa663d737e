syscall::write:entry
{
	this->a = rand();
	this->b = rand();
	printf("%d\n", this->a != this->b || rand() != this->a);
}
