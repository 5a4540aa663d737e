/* @@ kernel: nonempty */
syscall::openat:entry
{
	this->s = copyinstr(arg1);
	@[this->s[0], this->s + 1] = count();
}
