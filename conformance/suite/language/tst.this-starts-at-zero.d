/* @@ kernel: nonempty */
this int n;
this string s;

syscall::read:entry
{
	printf("[%d|%s]\n", this->n, this->s);
	this->n = 7;
	this->s = "left over";
}
