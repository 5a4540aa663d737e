/* @@ args: -q -x inlined -x inlined=no */
/* Off again. */
syscall::read:entry { ustack(2); }
