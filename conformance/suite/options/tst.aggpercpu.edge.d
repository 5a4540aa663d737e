/* @@ args: -q -x aggpercpu -x aggpercpu=off */
/* @@ kernel: nonempty */
/* @@ engines: interp jit rbpf */
/* Off again. */
syscall::read:entry { @[arg0] = sum(arg1); }
