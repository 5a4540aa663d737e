/* @@ args: -q -x switchrate=10hz */
BEGIN { printf("%d", 1); exit(0); }
