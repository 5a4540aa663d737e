/*
 * Of copied memory no more is read than the third argument shows, which is evaluated once. What is shown must be there.
 */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::write:entry
{
	tracemem(copyin(arg1, arg2), 32, arg2);
	this->n = 2;
	this->p = (char *)copyin(arg1, arg2);
	tracemem(this->p + 1, 8, this->n++);
	tracemem(this->p, 2, -1);
	tracemem(this->p, 2, 2);
	tracemem(this->p + 2, 9, 0);
	printf("\n%d\n", this->n);
}

syscall::write:entry
{
	tracemem(copyin(arg1, arg2), 32, 32);
}
