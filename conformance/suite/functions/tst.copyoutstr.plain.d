/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	copyoutstr("xyz", arg1, 4);
	printf("%s|%c\n", copyinstr(arg1), *(char *)copyin(arg1 + 4, 1));
}
