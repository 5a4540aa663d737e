/* Stacks sort as the bytes of their addresses, processes first; addresses of processes by process and address. */
syscall::read:entry { @[ustack(2)] = count(); @a[uaddr(arg0)] = count(); }
