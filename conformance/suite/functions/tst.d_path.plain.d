/* What is no path faults with its address, whatever the process. */
syscall::read:entry { trace(d_path((struct path *)arg1)); }
ERROR { printf("%d %x", arg4, arg5); }
