/* @@ args: -q -x ustackframes=1 */
syscall::read:entry { ustack(); ustack(2); }
