/* What ERROR says of the stack is that of the event that faulted. */
syscall::read:entry { trace(copyinstr(arg0)); }
ERROR { printf("%d %x %x %d\n", ustackdepth, caller, ucaller, stackdepth); }
