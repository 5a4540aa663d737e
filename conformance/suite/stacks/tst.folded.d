/* Folded: stacks from the outermost frame on, with what else is a key, and their number. */
/* @@ args: --format folded */
syscall::read:entry { @[execname, ustack()] = count(); @k[stack(), ustack(1)] = sum(arg0); jstack(); }
