/* @@ kernel: nonempty */
syscall::openat:entry
{
	this->s = copyinstr(arg1);
	printf("%s|%s|%s|%s|%s|\n", substr(this->s, 2, -10), substr(this->s, -18, 3), substr(this->s, -19, 3),
	    substr(this->s, 16), substr(this->s, 3, 0));
}
