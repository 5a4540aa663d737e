/* @@ args: -q -x kdefs */
BEGIN { printf("%d", 1); exit(0); }
