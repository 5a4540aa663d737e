/* @@ kernel: nonempty */
/* Only what CPU 1 fires; the tracer's own probes fire wherever they do. */
#pragma D option quiet
#pragma D option cpu=1
BEGIN { printf("begin\n"); }
syscall::write:entry { @[cpu] = sum(arg0); }
syscall::write:entry { printf("cpu %d arg0 %d\n", cpu, arg0); }
