/* @@ args: -q -x strict */
BEGIN { printf("%d", 1); exit(0); }
