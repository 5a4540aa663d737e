/* @@ args: -q */
/* From here on. */
BEGIN { trace(1); }
BEGIN { setopt("rawbytes"); }
BEGIN { trace(1); exit(0); }
