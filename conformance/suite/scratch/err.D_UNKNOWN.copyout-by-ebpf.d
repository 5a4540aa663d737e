/* @@ args: -qw */
/* @@ engines: rbpf bpf */
/* @@ status: 1 */
syscall::write:entry
{
	copyoutstr("x", arg1, 2);
}
