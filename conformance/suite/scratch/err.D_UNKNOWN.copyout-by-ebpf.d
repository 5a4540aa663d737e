/* @@ args: -qw */
/* @@ engines: bpf */
/* @@ bpf: cannot-write */
/* @@ status: 1 */
syscall::write:entry
{
	copyoutstr("x", arg1, 2);
}
