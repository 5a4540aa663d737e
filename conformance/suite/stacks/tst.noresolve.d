/* @@ args: -q -x noresolve */
syscall::read:entry { stack(1); ustack(); }
