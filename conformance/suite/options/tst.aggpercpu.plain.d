/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
/* @@ engines: interp jit rbpf */
syscall::read:entry { @[arg0] = sum(arg1); }
