/* @@ kernel: nonempty */
syscall::write:entry
{
	this->p = (char *)copyin(arg1, 4);
	printf("%c%c %d\n", this->p[0], this->p[3], *(int *)this->p);
}
