/* @@ args: -q -x pcapsize=64k */
BEGIN { printf("%d", 1); exit(0); }
