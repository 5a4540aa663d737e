/* Computed sizes with the largest scratchsize, and what is one byte too large for it. */
/* @@ kernel: nonempty */
/* @@ args: -q -x scratchsize=1m */
syscall::write:entry
{
	this->bytes = (char *)copyin(arg0, arg1);
	printf("%c%c ", this->bytes[0], this->bytes[arg1 - 1]);
}
syscall::write:entry
{
	tracemem(copyin(arg0, arg1), 40000, 2);
}
ERROR
{
	printf("%d %d\n", arg4, arg5);
}
