/* @@ args: -q -x aggpack */
/* @@ kernel: nonempty */
/* What is no histogram stays what it is. */
syscall::read:entry { @[arg0] = sum(arg1); }
