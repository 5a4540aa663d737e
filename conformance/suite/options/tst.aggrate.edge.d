/* @@ args: -q */
/* @@ kernel: nonempty */
/* On demand, and as often as can be. */
BEGIN { setopt("aggrate", "0hz"); setopt("aggrate", "1ns"); }
syscall::read:entry { @[arg0] = sum(arg1); }
