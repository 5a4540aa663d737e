/* The number of a stack counts in the kernel; the text comes at the end. */
/* @@ kernel: nonempty */
syscall::read:entry { @[stack(3)] = count(); @u[ustack(2), pid] = sum(arg0); }
