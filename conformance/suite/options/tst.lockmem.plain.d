/* @@ args: -q -x lockmem=unlimited */
BEGIN { printf("%d", 1); exit(0); }
