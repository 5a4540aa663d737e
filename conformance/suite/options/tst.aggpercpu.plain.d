/* @@ args: -q -x aggpercpu */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0] = sum(arg1); }
