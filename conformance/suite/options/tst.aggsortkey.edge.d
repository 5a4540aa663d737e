/* @@ args: -q */
/* @@ kernel: nonempty */
/* Set while tracing, and off again. */
BEGIN { setopt("aggsortkey"); setopt("aggsortkey", "no"); }
syscall::read:entry { @[arg0] = sum(arg1); }
