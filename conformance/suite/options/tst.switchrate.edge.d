/* @@ args: -q */
BEGIN { setopt("switchrate", "1hour"); printf("%d", 1); exit(0); }
