/* @@ args: -q -x dynvarsize=64 -x droptags */
/* @@ kernel: nonempty */
/* Two kinds of loss. */
syscall::read:entry { seen[arg0] = 1; x = speculation(); }
