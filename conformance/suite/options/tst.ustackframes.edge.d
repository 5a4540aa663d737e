/* @@ args: -q -x ustackframes=0x7fffffff */
/* More than there are. */
syscall::read:entry { ustack(); ustack(2); }
