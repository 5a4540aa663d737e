/* Clauses that did not fault, and firings without a fault, take none; a fault that user space raises counts, too. */
/* @@ args: -q */
/* @@ kernel: nonempty */
syscall::read:entry { trace(arg0); }
syscall::read:entry { trace(10 / (arg0 - 2)); }
syscall::read:entry { trace(strtok(NULL, "x")); }
ERROR { printf("%d:", arg4); ustack(1); }
