/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
/* The process's memory is written at the event, and what comes after sees it. */
syscall::write:entry
{
	this->p = (char *)alloca(4);
	this->p[0] = 'J';
	copyout(this->p, arg1, 1);
	copyoutstr("xy", arg1 + 3, 2);
	printf("%s\n", copyinstr(arg1));
}
syscall::write:entry
{
	copyoutstr("xyz", arg1 + 3, 4);
	printf("%s\n", copyinstr(arg1));
}
syscall::write:entry
{
	copyoutstr("xyz", 16, 4);
}
