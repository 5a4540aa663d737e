/* @@ args: -q -x bpflog */
/* Nothing of it goes into the kernel: there is nothing to say. */
BEGIN { printf("%d", 1); exit(0); }
