/* @@ kernel: nonempty */
syscall::read:entry
{
	this->s = "hello";
	@[this->s[arg0]] = count();
}
