/* The process is written to at the event; the kernel of eBPF is refused that. */
/* @@ args: -qw */
/* @@ engines: interp jit */
syscall::write:entry
{
	this->p = (char *)alloca(4);
	this->p[0] = 'b';
	copyout(this->p, arg1, 1);
	printf("%s\n", copyinstr(arg1));
}
