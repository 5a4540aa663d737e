/* @@ args: */
/* Options change at once, row by row. */
BEGIN { trace(1); }
BEGIN { setopt("quiet"); }
BEGIN { trace(2); }
BEGIN { setopt("quiet", "no"); }
BEGIN { trace(3); }
BEGIN { setopt("rawbytes"); trace(4); }
BEGIN { setopt("Nixon"); }
BEGIN { setopt("maxframes", "3"); }
BEGIN { setopt("switchrate", "nonsense"); }
BEGIN { exit(0); }
