/* @@ args: -q -x noresolve */
syscall::read:entry { ustack(2); }
