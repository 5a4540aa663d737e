/* @@ args: -q -x debug */
BEGIN { printf("%d", 1); exit(0); }
