/* @@ args: -q -x ustackframes=0 */
/* @@ kernel: nonempty */
syscall::read:entry { @[ustack()] = count(); ustack(); ustack(1); }
