/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	copyoutstr("xyz", 16, 4);
}
self string s;
syscall::write:entry
{
	copyoutstr(self->s, arg1, 4);
}
