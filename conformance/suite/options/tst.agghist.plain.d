/* @@ args: -q -x agghist */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0] = sum(arg1); }
