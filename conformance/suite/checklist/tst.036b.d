syscall:::entry { trace(arg0); }
