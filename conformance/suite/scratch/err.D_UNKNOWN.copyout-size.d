/* @@ args: -qw */
/* @@ engines: rbpf bpf */
/* @@ bpf: writes */
/* @@ status: 1 */
syscall::write:entry
{
	copyout(copyin(arg1, 8), arg1, arg2);
}
