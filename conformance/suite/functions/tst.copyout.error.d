/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	this->p = (char *)alloca(4);
	copyout(this->p, 16, 1);
}
