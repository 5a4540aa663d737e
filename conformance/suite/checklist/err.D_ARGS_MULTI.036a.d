syscall::: { trace(args[0]); }
