/* @@ kernel: nonempty */
syscall::read:entry
{
	this->n = (short)arg0;
	@[sizeof (this->n), sizeof (arg0), sizeof (execname), sizeof (int), sizeof ("abc"), sizeof (char *)] = count();
}
