/* @@ args: -q -x aggzoom */
/* @@ kernel: nonempty */
syscall::read:entry { @[execname] = quantize(arg1); }
