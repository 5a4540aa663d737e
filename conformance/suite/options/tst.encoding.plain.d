/* @@ args: -q -x encoding=utf8 */
/* @@ kernel: nonempty */
syscall::read:entry { @[execname] = quantize(arg1); }
