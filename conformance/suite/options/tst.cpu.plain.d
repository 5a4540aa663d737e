/* @@ args: -q -x cpu=1 */
/* @@ kernel: nonempty */
/* @@ engines: interp jit rbpf */
syscall::read:entry { printf("%d ", arg1); }
