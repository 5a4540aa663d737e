/* An odd address up to the end of the memory that is there, and all of scratchsize. */
syscall::write:entry
{
	this->p = (char *)copyin(arg1 + 1, 3);
	printf("%c%c%c|", this->p[0], this->p[1], this->p[2]);
}
syscall::write:entry
{
	this->n = 256;
	this->q = (char *)copyin(arg0, this->n);
	printf("%c%d\n", this->q[0], this->q[255]);
}
