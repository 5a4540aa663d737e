/* @@ args: -q -x aggsize=0 */
/* @@ kernel: nonempty */
/* One entry has room always. */
syscall::read:entry { @[arg0] = count(); }
