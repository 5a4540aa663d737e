/* The process is written to at the event. */
/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	this->p = (char *)alloca(4);
	this->p[0] = 'b';
	copyout(this->p, arg1, 1);
	printf("%s\n", copyinstr(arg1));
}
