/* @@ kernel: nonempty */
syscall::read:entry
{
	x = arg0;
	self->x = arg0 + 1;
	this->x = arg0 + 2;
	@x[x, self->x, this->x] = count();
}
