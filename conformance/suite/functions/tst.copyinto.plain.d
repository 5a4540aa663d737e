syscall::write:entry
{
	this->p = (char *)alloca(8);
	copyinto(arg1, 6, this->p);
	printf("%s\n", stringof(this->p));
}
