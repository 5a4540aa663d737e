/* @@ args: -q -x statusrate=1min */
/* At most ten seconds. */
BEGIN { printf("%d", 1); exit(0); }
