/* A made-up process gets no signal; the rows of an ERROR clause that sends some are there. */
/* @@ args: -qw */
/* @@ kernel: nonempty */
syscall::write:entry { trace(copyinstr(arg0)); }
ERROR { printf("%d\n", arg5); raise(10); stop(); }
