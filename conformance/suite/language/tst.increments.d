/* @@ kernel: nonempty */
syscall::read:entry
{
	this->a = arg0;
	this->b = this->a++;
	this->c = ++this->a;
	this->d = this->a--;
	this->e = --this->a;
	@[this->a, this->b, this->c, this->d, this->e] = count();
}
