/* @@ args: -q -x udefs */
BEGIN { printf("%d", 1); exit(0); }
