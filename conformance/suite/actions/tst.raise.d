/* @@ args: -w */
/* @@ env: _DTRACE_TESTING=1 */
/* A made-up process gets no signal, but the row is there. */
syscall::write:entry { raise(10); }
syscall::write:entry { stop(); }
syscall::write:entry /arg2 == 9/ { raise(arg2); trace(1); }
