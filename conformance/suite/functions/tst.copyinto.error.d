syscall::write:entry
{
	this->p = (char *)alloca(8);
	copyinto(arg1, 9, this->p);
}
syscall::write:entry
{
	this->p = (char *)alloca(8);
	copyinto(arg0, 4, this->p);
}
