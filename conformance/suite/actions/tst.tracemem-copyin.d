/* @@ kernel: nonempty */
/* The kernel part reads the process's bytes; the scratch memory they come into is user space's. */
syscall::write:entry
{
	tracemem(copyin(arg1, 16), 16);
	this->copy = copyin(arg1 + 1, 8);
	tracemem(this->copy, 4);
	@[arg0] = count();
}
syscall::write:entry
{
	printf("%d", *(char *)copyin(arg1, 1));
}
