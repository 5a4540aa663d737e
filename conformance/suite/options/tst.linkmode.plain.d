/* @@ args: -q -x linkmode=kernel */
BEGIN { printf("%d", 1); exit(0); }
