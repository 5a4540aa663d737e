/* @@ args: -q -x aggrate=10ms */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0] = sum(arg1); }
