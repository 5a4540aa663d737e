/* @@ args: -q -x bpflog -x bpflog=off */
/* What is off says nothing, although a program goes into the kernel. */
syscall::read:entry { @ = sum(arg0); }
END { printa("%@d", @); }
