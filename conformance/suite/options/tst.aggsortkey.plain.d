/* @@ args: -q -x aggsortkey */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0] = sum(arg1); }
