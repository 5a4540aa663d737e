/* The last byte, an odd address, and nothing. */
syscall::write:entry
{
	this->p = (char *)alloca(8);
	copyinto(arg1, 1, this->p + 7);
	copyinto(arg1 + 4, 3, this->p + 1);
	copyinto(arg1, 0, this->p);
	printf("%d%c%c%c%d%c\n", this->p[0], this->p[1], this->p[2], this->p[3], this->p[4], this->p[7]);
}
