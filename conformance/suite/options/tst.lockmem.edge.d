/* @@ args: -q -x lockmem=64m */
BEGIN { printf("%d", 1); exit(0); }
