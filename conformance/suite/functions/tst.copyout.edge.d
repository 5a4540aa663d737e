/* An odd address, a NUL, and no byte at all. */
/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	this->p = (char *)alloca(8);
	this->p[0] = 'X';
	copyout(this->p, arg1 + 3, 2);
	copyout(this->p, arg1, 0);
	printf("%s|%c\n", copyinstr(arg1), *(char *)copyin(arg1 + 5, 1));
}
