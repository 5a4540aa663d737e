/* @@ args: -q */
/* @@ kernel: nonempty */
/* The last one counts. */
BEGIN { setopt("encoding", "utf8"); setopt("encoding", "ascii"); }
syscall::read:entry { @[execname] = quantize(arg1); }
