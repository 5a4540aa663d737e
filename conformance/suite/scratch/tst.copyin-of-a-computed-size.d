/* Bytes of the process that are taken whole, as many as an argument says; more than scratchsize is a fault. */
/* @@ kernel: nonempty */
/* @@ args: -q -x scratchsize=16 */
syscall::write:entry
{
	this->bytes = (char *)copyin(arg1, arg2);
	this->copy = (char *)alloca(8);
	bcopy(this->bytes, this->copy, 4);
	printf("%s %d\n", stringof(this->copy), this->bytes[arg2 - 1]);
}

syscall::write:entry
/arg2 > 3/
{
	tracemem(copyin(arg1, arg2), 4);
}

ERROR
{
	printf("%d %d\n", arg4, arg5);
}
