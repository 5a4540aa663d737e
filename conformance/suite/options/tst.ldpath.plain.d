/* @@ args: -q -x ldpath=/bin/ld */
BEGIN { printf("%d", 1); exit(0); }
