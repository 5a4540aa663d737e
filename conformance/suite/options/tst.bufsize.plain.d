/* @@ args: -q -x bufsize=8k */
BEGIN { printf("%d", 1); exit(0); }
