/* @@ args: -q -x aggsortrev */
/* @@ kernel: nonempty */
syscall::read:entry { @[arg0] = sum(arg1); }
