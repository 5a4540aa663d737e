/* @@ args: -q -x encoding=ascii -x aggpack */
/* @@ kernel: nonempty */
syscall::read:entry { @[execname] = quantize(arg1); }
