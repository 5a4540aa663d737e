/* At most so many bytes: the NUL is cut; the NUL alone; none. */
/* @@ args: -qw */
/* @@ bpf: writes */
/* @@ kernel: nonempty */
syscall::write:entry
{
	copyoutstr("xyz", arg1, 2);
	printf("%s|", copyinstr(arg1));
	copyoutstr("", arg1 + 6, 1);
	printf("%s|", copyinstr(arg1));
	copyoutstr("xyz", arg1, 0);
	printf("%s\n", copyinstr(arg1));
}
