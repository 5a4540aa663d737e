/* Both arms of an if that user space decides are taken in the kernel. */
syscall::read:entry { if (strtoll(lltostr(arg0)) == 1) { stack(1); } else { ustack(1); } @[arg0 == 1 ? "one" : "two", stack(1)] = count(); }
