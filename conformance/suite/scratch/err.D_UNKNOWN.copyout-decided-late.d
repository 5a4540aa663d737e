/* @@ args: -qw */
/* @@ engines: rbpf bpf */
/* @@ bpf: writes */
/* @@ status: 1 */
syscall::write:entry
/rindex(copyinstr(arg1), "x") > 2/
{
	copyoutstr("y", arg1, 2);
}
