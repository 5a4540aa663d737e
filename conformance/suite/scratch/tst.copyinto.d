/* Bytes of the process in scratch memory, from the kernel part. */
syscall::write:entry
{
	this->p = (char *)alloca(16);
	copyinto(arg1, 5, this->p);
	this->p[0] = 'J';
	printf("%s %d\n", stringof(this->p), this->p[5]);
}
syscall::write:entry
{
	this->q = (int *)copyin(arg1, 8);
	this->q[0] = htonl(this->q[0]);
	printf("%x %s\n", this->q[0], stringof((char *)this->q));
}
syscall::write:entry
{
	this->p = (char *)alloca(4);
	copyinto(arg1, 8, this->p);
}
syscall::write:entry
{
	this->n = arg2;
	this->p = (char *)alloca(16);
	copyinto(arg0, 4, this->p);
}
