/* @@ args: -q -x noresolve -x noresolve=off */
/* Off again. */
syscall::read:entry { ustack(2); }
