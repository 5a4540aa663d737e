/* @@ args: -q -x aggpercpu -x aggpercpu=off */
/* @@ kernel: nonempty */
/* Off again. */
syscall::read:entry { @[arg0] = sum(arg1); }
