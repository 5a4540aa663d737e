/* @@ args: -q */
/* None. */
BEGIN { setopt("stackindent", "0"); }
syscall::read:entry { stack(1); }
