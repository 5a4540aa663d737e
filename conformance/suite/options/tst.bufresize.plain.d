/* @@ args: -q -x bufresize=manual */
BEGIN { printf("%d", 1); exit(0); }
