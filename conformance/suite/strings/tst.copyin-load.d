/* @@ kernel: nonempty */
syscall::write:entry
{
	this->p = (int *)copyin(arg1, 8);
	@[this->p[0], *(this->p + 1), *(unsigned char *)copyin(arg1, 1)] = count();
}
