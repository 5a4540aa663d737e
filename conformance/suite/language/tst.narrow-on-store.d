/* The sum in the comparison is not narrowed to int. */
/* @@ kernel: nonempty */
int n;
this char c;

syscall::read:entry
{
	n = arg0;
	this->c = arg0;
	@[n, this->c, n + 1 > n] = count();
}
